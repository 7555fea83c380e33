// The review screen by keyboard: claims, labels, evidence, find. Nothing here saves; drafts.js watches what is typed.
// Everything is a control of the page that a key presses, so the page works the same by mouse, by touch, and without this.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
  const SUPPORTS = ["supported", "unsupported", "contradicted", "unsure"];
  const ICONS = { supported: "check", unsupported: "cross", contradicted: "clash", unsure: "unsure" };
  const say = (words) => { $("#live").textContent = words; };
  const form = () => $("#decision-form");
  const revealed = () => $("#item")?.dataset.state === "revealed";
  const rows = () => $$("#item li[id^='mark-']");
  const current = () => Number(($("#item li.current")?.id || "mark-0").slice(5));
  const title = (word) => word[0].toUpperCase() + word.slice(1);

  // --- claims
  function select(number, focus) {
    const row = $(`#mark-${number}`);
    if (!row) return;
    for (const li of rows()) {
      const on = li === row, note = $(".mark-note", li);
      li.classList.toggle("current", on);
      $(".mark-row", li).setAttribute("aria-expanded", on);
      if (note) note.hidden = !on;
    }
    row.scrollIntoView({ block: "nearest" });
    if (matchMedia("(min-width: 80rem)").matches) $(`#answer a.claim[href="#mark-${number}"]`)?.scrollIntoView({ block: "nearest" });
    if (focus) $(".mark-row", row).focus({ preventScroll: true });
    lookAt(number);
  }
  function lookAt(number) {
    for (const link of $$("#answer a.claim")) {
      if (link.dataset.claims.split(" ").includes(String(number))) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if ($("#looking-n")) {
      $("#looking-n").textContent = number;
      $("#looking-at").textContent = claimText(number);
    }
    for (const word of $$(".pin .for")) word.textContent = number;
    showPins(number);
    showShared(number);
    if (revealed()) showBest(number);
  }
  function claimText(number) {
    const parts = $$("#answer a.claim").filter((link) => link.dataset.claims.split(" ").includes(String(number)));
    const words = parts.map((link) => $(".words", link).textContent).join("");
    return words || $(`#mark-${number} .claim-text, #mark-${number} .mark-note q`)?.textContent || "";
  }
  function mark(support) {
    const input = $(`#mark-${current()} input[value=${support}]`);
    if (!input || input.checked) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function showMark(number) {
    const row = $(`#mark-${number}`), support = $("input:checked", row)?.value;
    if (!support) return;
    const state = $(".mark-row .state", row), slot = $(".evidence-of input", row)?.value;
    state.className = `state ${support}`;
    $("use", state).setAttribute("href", `#i-${ICONS[support]}`);
    $("span", state).textContent = title(support);
    $(".where", row).textContent = slot ? `chunk ${slot}` : "no evidence";
    for (const badge of $$(`[data-badge="${number}"]`)) {
      badge.className = `badge ${support}`;
      $("use", badge).setAttribute("href", `#i-${ICONS[support]}`);
      $(".vh", badge).textContent = ` ${support}`;
    }
    for (const link of $$(`#answer a.claim[href="#mark-${number}"]`)) link.className = `claim ${support}`;
    if ($("#marked")) $("#marked").textContent = rows().filter((line) => $("input[type=radio]:checked", line)).length;
    say(`Claim ${number}: ${support}${slot ? `, chunk ${slot}` : ""}`);
    showConflict();
  }

  // --- evidence: a chunk, or the words selected in it, for the current claim
  function pin(slot) {
    const row = $(`#mark-${current()}`), input = row && $(".evidence-of input", row);
    if (!input) return;
    const same = input.value === String(slot), span = selectedSpan(slot);
    input.value = same && !span ? "" : slot;
    $("input[type=hidden]", row).value = span ? span.join("-") : "";
    $(".span-words", row).textContent = span ? `characters ${span[0]} to ${span[1]}` : "";
    if (input.value && !$("input[type=radio]:checked", row)) mark("supported");
    input.dispatchEvent(new Event("input", { bubbles: true }));
    showMark(current());
    showPins(current());
  }
  function showPins(number) {
    const slot = $(`#mark-${number} .evidence-of input`)?.value;
    for (const button of $$("[data-evidence]")) {
      const on = button.dataset.evidence === slot;
      button.setAttribute("aria-pressed", on);
      button.closest(".chunk").classList.toggle("chosen", on);
    }
  }
  // Offsets count code points of the chunk as imported: what stands apart (data-points) counts as told, not as shown.
  function points(node) {
    if (node.nodeType === Node.TEXT_NODE) return [...node.data].length;
    return node.dataset?.points ? Number(node.dataset.points) : [...node.childNodes].reduce((sum, child) => sum + points(child), 0);
  }
  function offsetOf(root, node, at) {
    let count = 0;
    for (const child of root.childNodes) {
      if (child === node) return count + [...child.data.slice(0, at)].length;
      if (child.contains?.(node)) return count + (child.dataset?.points ? 0 : offsetOf(child, node, at));
      count += points(child);
    }
    return count;
  }
  function selectedSpan(slot) {
    const chosen = getSelection(), text = $(`#chunk-${slot} [data-text]`);
    if (!text || chosen.isCollapsed || !chosen.rangeCount) return null;
    const range = chosen.getRangeAt(0);
    if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
    if (range.startContainer.nodeType !== Node.TEXT_NODE || range.endContainer.nodeType !== Node.TEXT_NODE) return null;
    const span = [offsetOf(text, range.startContainer, range.startOffset), offsetOf(text, range.endContainer, range.endOffset)];
    return span[0] < span[1] ? span : null;
  }
  function nextChunk(step = 1) {
    const all = $$(".chunk[data-slot], #beyond .chunk"), at = all.indexOf(document.activeElement?.closest(".chunk"));
    const chunk = all[(at + step + all.length) % all.length];
    if (!chunk) return;
    chunk.focus({ preventScroll: true });
    chunk.scrollIntoView({ block: "nearest" });
  }

  // --- words shared by claim and chunk, and find: painted by the browser, the text itself is not touched
  const STOP = new Set("about after also and are been before but can could does for from had has have her his how into its may more most not only other our out over own she should some such than that the their them then there these they this those through was were what when where which while who will with would you your".split(" "));
  const stem = (word) => (word.length > 4 ? word.replace(/(?:ations?|ings?|ed|es|s)$/u, "") : word);
  const words = (text) => [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)];
  function paint(name, ranges) {
    if (!globalThis.CSS?.highlights) return;
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  }
  function ranges(found) {
    const all = [];
    for (const text of $$("#evidence [data-text]")) {
      const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        for (const [start, end] of found(node.data.toLowerCase())) {
          const range = new Range();
          range.setStart(node, Math.min(start, node.length));
          range.setEnd(node, Math.min(end, node.length));
          all.push(range);
        }
      }
    }
    return all;
  }
  function showShared(number) {
    const on = $("#shared-toggle")?.getAttribute("aria-pressed") === "true" && !revealed();
    const wanted = new Set(words(claimText(number)).map(([word]) => word).filter((word) => (word.length > 2 || /\p{N}/u.test(word)) && !STOP.has(word)).map(stem));
    const shared = (text) => words(text).filter(([word]) => wanted.has(stem(word))).map((hit) => [hit.index, hit.index + hit[0].length]);
    paint("shared", on && wanted.size ? ranges(shared) : []);
  }
  function find(text) {
    const wanted = text.trim().toLowerCase();
    const hits = (line) => {
      const found = [];
      for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + wanted.length)) found.push([at, at + wanted.length]);
      return found;
    };
    const found = wanted ? ranges(hits) : [];
    paint("found", found);
    if (wanted) say(found.length ? `Found ${found.length} times` : "Not found");
    return found;
  }
  function toNextFound(field) {
    const found = find(field.value).map((range) => range.startContainer.parentElement.closest(".chunk"));
    const chunks = [...new Set(found)], at = chunks.indexOf($(".chunk.found"));
    $(".chunk.found")?.classList.remove("found");
    const chunk = chunks[(at + 1) % chunks.length];
    if (!chunk) return;
    chunk.classList.add("found");
    chunk.scrollIntoView({ block: "center" });
  }

  // --- the decision
  let wantedLabel = 0;
  function label(number) {
    if (revealed()) {
      wantedLabel = number;
      $("#act-change")?.click();
      return;
    }
    const input = $$("#item input[name=label]")[number - 1];
    if (!input || input.checked) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function showLabel(input) {
    const name = $(".name", input.closest("label")).firstChild.textContent.trim();
    form().dataset.label = input.value;
    if ($("#summary")) $("#summary").textContent = name;
    say(name);
    showConflict();
  }
  // Label against own marks, as labeling/core/consistency.py decides it; the server has the last word.
  function conflict() {
    const chosen = $("#item input[name=label]:checked")?.value;
    const marks = rows().map((row) => [row.id.slice(5), $("input[type=radio]:checked", row)?.value]).filter(([, support]) => support);
    if (!chosen || !marks.length) return null;
    const not = marks.filter(([, support]) => support !== "supported");
    if (chosen === "unsupported_claims") return !not.length && marks.length === rows().length ? { all: true, claims: [] } : null;
    return (marks.length - not.length) / marks.length < Number(form().dataset.faithfulness) ? { all: false, claims: not.map(([number]) => number) } : null;
  }
  function showConflict() {
    const place = $("#conflict"), words = $("#conflict-words");
    if (!place) return;
    const found = conflict();
    place.hidden = !found;
    form().elements.insists.value = found ? "1" : "";
    if (!found) return;
    // the label in the words of the codebook, as they stand beside its key
    const label = $("#item input[name=label]:checked").closest("label");
    const means = `your label is “${$(".name", label).textContent.trim()}”: ${$(".def", label).textContent}`;
    if (found.all) { words.textContent = `You marked every claim supported; ${means}`; return; }
    words.replaceChildren("You marked ");
    found.claims.forEach((number, place) => {
      const link = document.createElement("a");
      link.href = `#mark-${number}`;
      link.textContent = `claim ${number}`;
      words.append(place ? ", " : "", link);
    });
    words.append(` as not supported; ${means}`);
  }
  function showBest(number) {
    for (const line of $$(".verdict[data-claim]")) line.classList.toggle("on", line.dataset.claim === String(number));
    for (const text of $$("mark.support")) text.classList.toggle("on", text.dataset.claims.split(" ").includes(String(number)));
    $(".chunk.best")?.classList.remove("best");
    const chunk = $(`.verdict[data-claim="${number}"]`)?.closest(".chunk"), link = $("#best");
    link.hidden = !chunk;
    if (!chunk) return;
    chunk.classList.add("best");
    link.href = `#${chunk.id}`;
    $("span", link).textContent = `Best: chunk ${chunk.dataset.slot}`;
    if (matchMedia("(min-width: 80rem)").matches) chunk.scrollIntoView({ block: "nearest" });
  }

  // --- keys
  const open = (id) => { const dialog = document.getElementById(id); if (dialog && !dialog.open) dialog.showModal(); };
  const press = (id) => document.getElementById(id)?.click();
  const moves = {
    next_claim: () => select(Math.min(current() + 1, rows().length), true),
    previous_claim: () => select(Math.max(current() - 1, 1), true),
    next_evidence: () => nextChunk(),
    find: () => $("#find")?.focus(),
    challenge: () => open("challenge"),
    note: () => { const note = $("#note"); if (note) { note.focus(); note.setSelectionRange(note.value.length, note.value.length); } },
    skip: () => open("skip"),
    undo: () => ($("#act-undo") ? press("act-undo") : $("#undo-form")?.requestSubmit()),
    back: () => press("act-back"),
    help: () => open("keys"),
  };
  for (const support of SUPPORTS) moves[support] = () => mark(support);
  for (const number of [1, 2, 3, 4, 5]) moves[`label_${number}`] = () => label(number);

  function save(event) {
    const dialog = $("dialog[open]"), target = dialog ? $("form", dialog) : form();
    if (!target || event.repeat) return;
    const button = $("[data-save]");
    if (!dialog && button?.href) button.click();
    else target.requestSubmit();
  }
  function move(event) {
    const sheet = $("#keys"), arrows = { ArrowDown: "next_claim", ArrowUp: "previous_claim" };
    if (arrows[event.key]) return event.target.closest("input, .evidence, summary") ? null : moves[arrows[event.key]];
    if (!sheet || sheet.dataset.letters === "off" || event.altKey !== (sheet.dataset.alt === "on")) return null;
    return moves[JSON.parse(sheet.dataset.keys)[event.key]];
  }
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || !$("#item")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(event); return; }
    if (event.target.id === "find") {
      if (event.key === "Enter") { event.preventDefault(); toNextFound(event.target); }
      if (event.key === "Escape") { event.target.value = ""; find(""); $(".chunk.found, #question")?.focus(); }
      return;
    }
    if ($("dialog[open]") || event.target.closest(TYPING) || event.ctrlKey || event.metaKey || event.repeat) return;
    if (event.key === "Enter" && event.target.classList.contains("chunk")) { event.preventDefault(); if (event.target.dataset.slot) pin(event.target.dataset.slot); return; }
    const action = move(event);
    if (!action) return;
    event.preventDefault();
    action();
  });

  // --- the same by mouse and touch
  document.addEventListener("click", (event) => {
    const row = event.target.closest(".mark-row"), claim = event.target.closest("a.claim");
    if (row) select(row.parentElement.id.slice(5));
    if (claim) { event.preventDefault(); select(claim.hash.slice(6), true); }
    if (event.target.closest("[data-next-evidence]")) nextChunk();
    const pinned = event.target.closest("[data-evidence]");
    if (pinned) pin(pinned.dataset.evidence);
    const shared = event.target.closest("#shared-toggle");
    if (shared) {
      shared.setAttribute("aria-pressed", shared.getAttribute("aria-pressed") !== "true");
      showShared(current());
    }
  });
  document.addEventListener("change", ({ target }) => {
    if (/^claim-\d/.test(target.name)) showMark(target.closest("li").id.slice(5));
    if (target.name === "label" && target.form === form()) showLabel(target);
  });
  document.addEventListener("input", ({ target }) => {
    if (target.id === "find") find(target.value);
    if (/^evidence-\d/.test(target.name || "")) showPins(current());
  });
  document.addEventListener("review:restored", () => { for (const row of rows()) showMark(row.id.slice(5)); const chosen = $("#item input[name=label]:checked"); if (chosen) showLabel(chosen); });

  // --- on a phone: which part is on the screen
  const parts = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) {
      for (const link of $$(".jump a")) {
        if (document.querySelector(link.hash)?.closest(".pane") === target) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-40% 0px -55% 0px" });

  // --- a new item is on the page
  let shown = null;
  function begin() {
    const item = $("#item");
    if (!item || item === shown) return;
    shown = item;
    paint("found", []);
    if (rows().length) select(current() || 1);
    else paint("shared", []);
    parts.disconnect();
    for (const pane of $$("#item .pane")) parts.observe(pane);
    if (wantedLabel && !revealed()) { label(wantedLabel); wantedLabel = 0; }
    document.dispatchEvent(new CustomEvent("review:item"));
  }
  for (const event of ["htmx:afterSettle", "htmx:historyRestore"]) document.addEventListener(event, begin);
  begin();
})();
