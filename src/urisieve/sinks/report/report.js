"use strict";
// Tables are sorted by buttons in their headings and filtered by an input above them. Without this script they are
// plain tables. Nothing is remembered, and nothing is read but the page itself.
(() => {
  const collator = new Intl.Collator("en", { numeric: true });

  // Brackets of defanged identifiers are not looked at, nor is the case: `a.b` finds `A[.]B`.
  const folded = (text) => text.normalize("NFKC").toLowerCase().replace(/[[\]]/g, "").replace(/hxxp/g, "http");

  const created = (name, properties) => Object.assign(document.createElement(name), properties);

  const textOf = (row, column) => row.cells[column].textContent;

  const value = (text) => Number(text.replace(/,/g, ""));

  const sorted = (rows, column, isNumber, isFalling) => {
    const compared = isNumber
      ? (a, b) => value(textOf(a, column)) - value(textOf(b, column))
      : (a, b) => collator.compare(textOf(a, column), textOf(b, column));
    return rows.sort((a, b) => (isFalling ? compared(b, a) : compared(a, b)));
  };

  const makeSortable = (table, status) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.className === "list") {
        return;
      }
      const title = head.textContent;
      const isNumber = head.className === "number";
      const button = created("button", { type: "button", textContent: title });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const order = head.getAttribute("aria-sort");
        const isFalling = order === null ? isNumber : order === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", isFalling ? "descending" : "ascending");
        const body = table.tBodies[0];
        body.append(...sorted([...body.rows], column, isNumber, isFalling));
        status.textContent = `Sorted by ${title}, ${isFalling ? "descending" : "ascending"}`;
      });
    });
  };

  const makeFilter = (table, title, status) => {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) =>
      folded([row.textContent, ...[...row.querySelectorAll("[title]")].map((one) => one.title)].join(" ")),
    );
    const input = created("input", { type: "search", autocomplete: "off", spellcheck: false });
    const label = created("label", { textContent: `Filter: ${title}` });
    label.append(input);
    input.addEventListener("input", () => {
      const wanted = folded(input.value.trim());
      let shown = 0;
      rows.forEach((row, index) => {
        row.hidden = !texts[index].includes(wanted);
        shown += row.hidden ? 0 : 1;
      });
      status.textContent = wanted === "" ? "" : `${shown} of ${rows.length} rows`;
    });
    return label;
  };

  document.querySelectorAll("table:not(.fixed)").forEach((table) => {
    if (table.tBodies[0].rows.length < 2) {
      return;
    }
    const title = table.closest("section").querySelector("h2").textContent;
    const status = created("p", { role: "status" });
    const tools = created("div", { className: "tools" });
    tools.append(makeFilter(table, title, status), status);
    makeSortable(table, status);
    table.parentElement.before(tools);
  });
})();
