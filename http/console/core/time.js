// Times as people say them. The server's clock counts: a page whose own is wrong must not show a prompt as expired.

let skewMs = 0;

/** Take the server's time for the time. */
export function setServerTime(unixSeconds) {
  skewMs = unixSeconds * 1000 - Date.now();
}

/** Now, in Unix seconds of the server. */
export function now() {
  return (Date.now() + skewMs) / 1000;
}

/** `45 s`, `12 min`, `3 h`, `2 d`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 48 * 3600) return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
  return `${Math.floor(whole / 86_400)} d`;
}

/** `2:05`, for what runs out. */
export function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole >= 3600) return duration(whole);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** `just now`, `5 min ago`, or a date. */
export function ago(unixSeconds) {
  const passed = now() - unixSeconds;
  if (passed < 45) return "just now";
  if (passed < 3600) return `${Math.max(1, Math.floor(passed / 60))} min ago`;
  if (passed < 24 * 3600) return `${Math.floor(passed / 3600)} h ago`;
  return day(unixSeconds);
}

/** A time of day, with the date if it is another. */
export function moment(unixSeconds) {
  const at = new Date(unixSeconds * 1000);
  const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return at.toDateString() === new Date().toDateString() ? clock : `${day(unixSeconds)}, ${clock}`;
}

function day(unixSeconds) {
  return new Date(unixSeconds * 1000).toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}
