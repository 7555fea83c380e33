// The next card, fetched while this one is read. The server reserves its item for two minutes; a save then says which
// card is kept here, and where the queue hands out that very one the answer is the bar alone. Nothing is kept on disk,
// and without this file every save answers with the card itself.
(() => {
  const AFTER_MS = 300, FRESH_MS = 90_000;
  const item = () => document.querySelector("#item");
  let kept = null, asking = null, active = true, timer = 0;
  for (const event of ["keydown", "pointerdown", "scroll", "input"]) addEventListener(event, () => { active = true; }, { passive: true, capture: true });

  async function fetchAhead() {
    const place = item(), shown = place?.dataset.draft;
    if (!place?.dataset.ahead || asking || document.hidden || (kept && Date.now() - kept.at < FRESH_MS)) return;
    active = false;
    asking = new AbortController();
    try {
      const answer = await fetch(place.dataset.ahead, { headers: { "HX-Request": "true" }, signal: asking.signal });
      const html = answer.status === 200 ? await answer.text() : "";
      const token = answer.headers.get("X-Ahead");
      if (token && item()?.dataset.draft === shown) {
        kept = { token, html, at: Date.now() };
        performance.mark("ahead");
      }
    } catch { // the card comes with the save instead
    } finally {
      asking = null;
    }
  }

  const isFresh = () => kept && Date.now() - kept.at < FRESH_MS;
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "post") return;
    asking?.abort();
    if (isFresh()) detail.headers["X-Ahead"] = kept.token;
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.xhr.getResponseHeader("X-Review") !== "ahead") return;
    if (kept) detail.serverResponse = kept.html + detail.xhr.responseText;
    else { detail.shouldSwap = false; location.assign(detail.xhr.getResponseHeader("HX-Push-Url")); }
    kept = null;
  });

  function begin() {
    if (item()?.dataset.token && item().dataset.token === kept?.token) kept = null;
    clearTimeout(timer);
    timer = setTimeout(fetchAhead, AFTER_MS);
  }
  for (const event of ["htmx:afterSettle", "htmx:historyRestore"]) document.addEventListener(event, begin);
  setInterval(() => { if (active && !isFresh()) fetchAhead(); }, 5_000);
  begin();
})();
