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
