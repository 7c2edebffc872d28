/**
 * Limit for reported errors of one object. A few megabytes can contain a million of them; validation stops
 * here.
 */
export const maxReportedErrors = 1000;
