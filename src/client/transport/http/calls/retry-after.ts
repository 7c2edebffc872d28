/**
 * The milliseconds a `Retry-After` header asks to wait: seconds, or a date. Undefined when there is none that makes sense.
 *
 * @example
 * retryAfter("2", now); // 2000
 * retryAfter("Wed, 21 Oct 2026 07:28:00 GMT", now);
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
