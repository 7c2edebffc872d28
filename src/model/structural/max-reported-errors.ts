/**
 * How many faults of one object are reported. A few megabytes can hold a million of them, which would take far more
 * memory to tell than anyone has use for; past this, looking for more stops.
 */
export const maxReportedErrors = 1000;
