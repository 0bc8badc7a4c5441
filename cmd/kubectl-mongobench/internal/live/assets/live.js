// Shows the rows that the server sends, and whether it still does.
"use strict";

// The token has done its work: the cookie has it, and the address need not show it.
if (location.search) {
  history.replaceState(null, "", "/");
}

const rows = document.getElementById("rows");
const link = document.getElementById("link");
const events = new EventSource("/events");

events.addEventListener("rows", (event) => {
  // The server's templates have escaped everything in it.
  const focused = document.activeElement?.getAttribute("href");
  rows.innerHTML = JSON.parse(event.data);
  link.textContent = "live";
  if (focused) {
    rows.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
});
events.addEventListener("error", () => {
  // A browser tries again by itself, unless the server refused.
  link.textContent = events.readyState === EventSource.CLOSED
    ? "ended: open the address that kubectl mongobench ui prints"
    : "not connected: trying again";
});
