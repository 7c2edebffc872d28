/** Kills this program at a named step, so that tests can do so after every single one. */
export function failpoint(name: string): void {
  if (process.env["FETTLE_PROXY_FAILPOINT"] === name) process.kill(process.pid, "SIGKILL");
}
