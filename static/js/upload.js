// Sending files: says what is too large before it is sent, and how far the sending is. Without it the form works all the same.
(() => {
  const part = (id) => document.getElementById(id);

  document.addEventListener("change", ({ target }) => {
    const form = target.form;
    if (target.type !== "file" || form?.id !== "upload-form") return;
    const over = [...target.files].filter((file) => file.size > Number(form.dataset.largest)).map((file) => file.name);
    target.setCustomValidity(over.length ? `Larger than ${form.dataset.largestWords}: ${over.join(", ")}` : "");
    target.reportValidity();
  });

  document.addEventListener("htmx:xhr:progress", ({ target, detail }) => {
    if (target.id !== "upload-form" || !detail.lengthComputable) return;
    const bar = part("sending");
    bar.hidden = false;
    bar.value = detail.loaded / detail.total;
    part("sending-words").textContent = detail.loaded < detail.total ? `${Math.floor((100 * detail.loaded) / detail.total)} % sent` : "Sent, being stored";
  });

  document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
    if (target.id !== "upload-form" || detail.successful) return;
    part("sending").hidden = true;
    part("sending-words").textContent = "";
  });
})();
