// Puts a field above the tables of a page that asks for one by <div class="table-filter">: rows without its text are hidden.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".table-filter")) {
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.type = "search";
    label.append("Show rows with ", field);
    place.append(label);
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase().split(/\s+/);
      for (const row of place.closest("article").querySelectorAll("tbody tr")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
      }
    });
  }
});

// Names what opens a part of the contents, lets keys scroll wide tables, and makes cells of headings without a text plain.
addEventListener("load", () => {
  for (const toggle of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    toggle.setAttribute("aria-label", `Pages of ${toggle.closest("li").querySelector("a").textContent.trim()}`);
  }
  for (const table of document.querySelectorAll("article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    for (const heading of table.querySelectorAll("th")) {
      if (!heading.textContent.trim()) heading.replaceWith(document.createElement("td"));
    }
  }
});
