// What every page needs beyond HTML: errors that are seen, focus that is not lost, words for screen readers.
// Everything works without it; nothing here computes or saves.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";

  // --- words for screen readers: data-announce on swapped content, or the response header HX-Trigger: {"announce": "…"}
  function say(words) {
    const live = $("#live");
    if (live && words) live.textContent = words;
  }
  document.addEventListener("announce", (event) => say(event.detail.value));

  // --- a failed request is said where it is seen, and what was typed stays on the page
  const REASONS = {
    400: "The request was not understood. Nothing was saved.",
    403: "Not allowed, or this page is too old to be used. Nothing was saved. Copy what you typed, then reload.",
    404: "It is not there any more. Nothing was saved.",
    409: "Someone was faster. Nothing was saved. Reload to see the present state.",
    413: "That is too large. Nothing was saved.",
    429: "Too many requests. Wait a moment and try again.",
  };
  function trouble(words, link) {
    const place = $("#trouble");
    const callout = document.createElement("div");
    callout.className = "callout bad";
    const text = document.createElement("span");
    text.className = "words";
    text.textContent = words;
    callout.append(text);
    if (link) callout.append(link);
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "Close";
    close.addEventListener("click", calm);
    callout.append(close);
    place.replaceChildren(callout);
    place.hidden = false;
  }
  function calm() {
    const place = $("#trouble");
    place.replaceChildren();
    place.hidden = true;
  }
  function loginLink() {
    const link = document.createElement("a");
    link.className = "button";
    link.href = document.body.dataset.login + "?next=" + encodeURIComponent(document.body.dataset.home);
    link.target = "_blank";
    link.rel = "opener";
    link.textContent = "Log in in a new tab";
    return link;
  }
  document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
    if (xhr.status === 401) trouble("You are logged out. Nothing was saved, what you typed is kept here: log in, come back and try again.", loginLink());
    else trouble(REASONS[xhr.status] || `The server failed (${xhr.status}). Nothing was saved, what you typed is kept here. Try again in a moment.`);
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, () => trouble("No connection. Nothing was saved, what you typed is kept here. Try again when you are online."));
  }
  document.addEventListener("htmx:swapError", () => trouble("The answer could not be shown. Reload the page."));
  document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.successful) calm(); });

  // --- a new log-in in another tab has a new CSRF token: the cookie knows it, the page's own copy may be old
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
    if (!token) return;
    detail.headers["X-CSRFToken"] = token;
    if (detail.parameters.csrfmiddlewaretoken) detail.parameters.csrfmiddlewaretoken = token;
  });

  // --- after a swap: dates are local, the focus has a place, the change is announced
  function localTimes(root) {
    for (const time of $$("time[datetime]", root)) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.getTime()) || time.title) continue;
      const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
      const day = { day: "numeric", month: "short", year: "numeric" };
      const only = time.dataset.show;
      time.title = time.textContent.trim();
      time.textContent = new Intl.DateTimeFormat("en-GB", only === "time" ? clock : only === "date" ? day : { ...day, ...clock }).format(date);
    }
  }
  function keepFocus(target) {
    const wanted = $("[data-focus]", target);
    const lost = !document.activeElement || document.activeElement === document.body;
    const place = wanted || (lost ? $("h1, h2, h3", target) || target : null);
    if (!place) return;
    if (!place.matches("a[href], button, input, select, textarea, [tabindex]")) place.tabIndex = -1;
    place.focus({ preventScroll: !wanted });
  }
  document.addEventListener("htmx:afterSettle", ({ detail: { elt, requestConfig } }) => {
    localTimes(elt);
    if (requestConfig?.triggeringEvent) keepFocus(elt);
    say(elt.dataset.announce || $("[data-announce]", elt)?.dataset.announce);
  });

  // --- theme: as the system, light, dark
  const THEMES = { system: "as the system", light: "light", dark: "dark" };
  function showTheme() {
    const name = document.documentElement.dataset.theme || "system";
    for (const word of $$("[data-theme-name]")) word.textContent = THEMES[name];
  }
  function nextTheme() {
    const root = document.documentElement, order = Object.keys(THEMES);
    const next = order[(order.indexOf(root.dataset.theme || "system") + 1) % order.length];
    if (next === "system") { delete root.dataset.theme; localStorage.removeItem("theme"); }
    else { root.dataset.theme = next; localStorage.setItem("theme", next); }
    showTheme();
    say(`Theme: ${THEMES[next]}`);
  }

  // --- dialogs and menus: data-opens="id" opens a dialog (its href or form works without JavaScript), data-close closes it
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]"), dialog = opener && document.getElementById(opener.dataset.opens);
    if (dialog?.showModal) { event.preventDefault(); dialog.showModal(); }
    if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
    if (event.target.closest("[data-print]")) print();
    if (event.target.closest("[data-theme-next]")) nextTheme();
    for (const menu of $$("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") for (const menu of $$("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); }
    const sheet = $("dialog#keys");
    if (event.key !== "?" || !sheet || sheet.open || event.target.closest(TYPING) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    sheet.showModal();
  });

  localTimes(document);
  showTheme();
  $(".page [aria-invalid='true']")?.focus();
})();
