// Sets the chosen theme before the first paint: loaded without defer, so it stays this short.
(() => {
  const root = document.documentElement;
  const stored = localStorage.getItem("theme");
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  root.classList.add("js");
})();
