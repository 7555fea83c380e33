// Never lose a keystroke: a draft of every item is kept in this browser until the server has it, a save that failed is
// said, kept and tried again, and the lease is renewed while somebody works. The same save twice is one verdict.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const PREFIX = "draft:", KEPT_DAYS = 14, RETRIES_S = [3, 10, 30];
  const NEVER = new Set(["csrfmiddlewaretoken", "key", "token", "seen", "insists"]);
  const say = (words) => { $("#live").textContent = words; };
  const item = () => $("#item");
  const form = () => $("#decision-form");
  const address = () => item()?.dataset.draft && PREFIX + item().dataset.draft;
  const clock = (date) => new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(date);

  // --- drafts
  function fields() {
    const values = {};
    for (const field of form().elements) {
      if (!field.name || NEVER.has(field.name)) continue;
      if (field.type === "radio") { if (field.checked) values[field.name] = field.value; }
      else if (field.value) values[field.name] = field.value;
    }
    return values;
  }
  function keep() {
    if (!form() || !address() || item().dataset.state === "revealed") return;
    const now = new Date();
    try {
      localStorage.setItem(address(), JSON.stringify({ at: now.toISOString(), seen: item().dataset.seen, values: fields() }));
      tell(`Draft kept ${clock(now)}`);
    } catch {
      tell("No room for a draft in this browser: save before you leave");
    }
  }
  function tell(words, button) {
    const place = $("#draft");
    if (place) place.replaceChildren(words, ...(button ? [" ", button] : []));
  }
  function restore() {
    const stored = address() && localStorage.getItem(address());
    if (!stored || !form() || item().dataset.state === "revealed") return;
    const draft = JSON.parse(stored), at = clock(new Date(draft.at));
    if (draft.seen === item().dataset.seen) { fill(draft.values); tell(`Draft of ${at} restored`); return; }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Bring it back";
    button.addEventListener("click", () => { fill(draft.values); tell(`Draft of ${at} restored`); });
    tell(`Draft of ${at} is older than your last save.`, button);
  }
  function fill(values) {
    for (const field of form().elements) {
      if (!(field.name in values)) continue;
      if (field.type === "radio") field.checked = field.value === values[field.name];
      else field.value = values[field.name];
    }
    document.dispatchEvent(new CustomEvent("review:restored"));
  }
  function sweep() {
    const oldest = Date.now() - KEPT_DAYS * 86_400_000;
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX) && Date.parse(JSON.parse(localStorage.getItem(name)).at) < oldest) localStorage.removeItem(name);
    }
  }
  let soon = 0;
  for (const event of ["input", "change"]) {
    document.addEventListener(event, ({ target }) => {
      if (target.form !== form()) return;
      clearTimeout(soon);
      soon = setTimeout(keep, 250);
    });
  }
  addEventListener("pagehide", () => { if (soon) { clearTimeout(soon); keep(); } });

  // --- saving: said when it is done, said when it is not, tried again
  let unsaved = false, tries = 0, timer = 0, sent = "";
  function state(words, tone, button) {
    const place = $(".vitals .saved");
    if (!place) return;
    place.className = `saved ${tone}`;
    $(".saved-text", place).replaceChildren(words, ...(button ? [" ", button] : []));
  }
  function failed(again) {
    unsaved = true;
    keep();
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Retry";
    button.addEventListener("click", retry);
    state("Not saved", "bad", button);
    clearTimeout(timer);
    if (again && tries < RETRIES_S.length) timer = setTimeout(retry, RETRIES_S[tries++] * 1000);
  }
  function retry() {
    clearTimeout(timer);
    if (unsaved && form()) form().requestSubmit();
  }
  const isSave = (detail) => detail.requestConfig?.elt.id === "decision-form"; // after the swap detail.elt is what was around it
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (!isSave(detail)) return;
    sent = address();
    state("Saving …", "");
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    // a refused save comes back as the item with everything that was typed, and why
    if (detail.xhr.getResponseHeader("X-Review") !== "item") return;
    detail.shouldSwap = true;
    detail.isError = false;
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    connected(detail.xhr.status !== 0);
    if (!isSave(detail)) return;
    const status = detail.xhr.status;
    if (status === 200) {
      unsaved = false;
      tries = 0;
      clearTimeout(timer);
      clearTimeout(soon);
      soon = 0;
      localStorage.removeItem(sent);
    } else if (![400, 404, 409, 413, 422].includes(status)) failed(status !== 401 && status !== 403);
    else if (detail.xhr.getResponseHeader("X-Review") !== "item") failed(false);
  });
  addEventListener("online", () => { connected(true); retry(); });
  addEventListener("offline", () => connected(false));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) retry(); });
  addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  function connected(on) {
    const place = $(".vitals .conn");
    if (!place) return;
    place.className = `conn ${on ? "good" : "bad"}`;
    $(".conn-text", place).textContent = on ? "Online" : "Offline";
  }
  // A label or a note is wanted; said at once, before anything is sent.
  document.addEventListener("submit", (event) => {
    if (event.target !== form() || item().dataset.state === "revealed") return;
    if ($("#item input[name=label]:checked") || $("#note").value.trim()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    say("Choose a label, or write a note.");
    $("#draft").textContent = "Choose a label, or write a note.";
    $("#item input[name=label]").focus();
  }, true);

  // --- the lease: counted down here, renewed while the page is used
  let ends = 0, active = false, renewed = 0;
  for (const event of ["keydown", "pointerdown", "scroll", "input"]) addEventListener(event, () => { active = true; }, { passive: true, capture: true });
  function lease() {
    const place = $("[data-lease]");
    ends = place ? Date.now() + Number(place.dataset.lease) * 1000 : 0;
    renewed = Date.now();
  }
  async function renew() {
    active = false;
    renewed = Date.now();
    const body = new FormData();
    body.set("token", item().dataset.token);
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] || "";
    try {
      const answer = await fetch(item().dataset.hold, { method: "POST", body, headers: { "HX-Request": "true", "X-CSRFToken": token } });
      connected(true);
      if (answer.ok) ends = Date.now() + (await answer.json()).seconds_left * 1000;
      else if (answer.status === 409) lost();
    } catch {
      connected(false);
    }
  }
  function lost() {
    ends = 0;
    const place = $("[data-lease] .t");
    if (place) place.textContent = "with somebody else now";
    say("Somebody else has this item now. What you typed is kept here.");
  }
  setInterval(() => {
    const place = $("[data-lease] .t");
    if (!place || !ends) return;
    const left = Math.round((ends - Date.now()) / 1000);
    place.textContent = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "over: save, it still counts if nobody took it";
    place.closest("li").classList.toggle("bad", left < 120);
    if (active && item()?.dataset.token && Date.now() - renewed > 60_000) renew();
  }, 1000);

  // --- a new item, a page out of the browser's memory
  let shown = null;
  function begin() {
    for (const time of $$("time[data-clock]")) time.textContent = clock(new Date(time.dateTime));
    if (!item() || item() === shown) return;
    shown = item();
    lease();
    restore();
    connected(navigator.onLine);
  }
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  for (const event of ["htmx:afterSettle", "htmx:historyRestore"]) document.addEventListener(event, begin);
  sweep();
  begin();
})();
