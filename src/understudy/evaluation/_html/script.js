"use strict";
// Everything can be read without this: it only searches, sorts, and opens what is folded before printing.
(function () {
  var box = document.querySelector("#search");
  if (box) {
    var cards = Array.prototype.slice.call(document.querySelectorAll("[data-column]"));
    var more = document.querySelector("#more-columns");
    var none = document.querySelector("#no-column");
    box.closest(".tools").hidden = false;
    box.addEventListener("input", function () {
      var wanted = box.value.trim().toLowerCase();
      var found = 0;
      cards.forEach(function (card) {
        var hit = card.dataset.column.toLowerCase().indexOf(wanted) >= 0;
        card.classList.toggle("none", !hit);
        found += hit ? 1 : 0;
      });
      if (more) { more.open = wanted !== "" || more.dataset.was === "open"; }
      none.classList.toggle("none", found > 0);
    });
    if (more) {
      more.addEventListener("toggle", function () {
        if (box.value === "") { more.dataset.was = more.open ? "open" : ""; }
      });
    }
  }
  document.querySelectorAll("table.sortable th").forEach(function (head) {
    head.tabIndex = 0;
    function sort() {
      var place = head.cellIndex;
      var body = head.closest("table").tBodies[0];
      var up = head.getAttribute("aria-sort") === "descending";
      var rows = Array.prototype.slice.call(body.rows);
      function key(row) { return row.cells[place].textContent.trim(); }
      function number(text) { return parseFloat(text.replace(/[,\s]/g, "").replace("−", "-")); }
      var numbers = head.classList.contains("n");
      rows.sort(function (a, b) {
        if (!numbers) { return (up ? 1 : -1) * key(b).localeCompare(key(a)); }
        var x = number(key(a)), y = number(key(b));
        if (isNaN(x) || isNaN(y)) { return (isNaN(x) ? 1 : 0) - (isNaN(y) ? 1 : 0); }
        return (up ? 1 : -1) * (x - y);
      });
      head.parentNode.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.forEach(function (row) { body.appendChild(row); });
    }
    head.addEventListener("click", sort);
    head.addEventListener("keydown", function (event) { if (event.key === "Enter") { sort(); } });
  });
  function unfold() {
    var wanted = location.hash && document.getElementById(location.hash.slice(1));
    var fold = wanted && wanted.querySelector("details.fold");
    if (fold) { fold.open = true; wanted.scrollIntoView(); }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.print").forEach(function (part) { part.open = true; });
  });
})();
