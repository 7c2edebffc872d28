/** Events of events.k8s.io, which are the same objects as those of the core group. */
export const events = `
group events.k8s.io/v1 io.k8s.api.events.v1

kind Event                                    # Report of something that happened to an object. Events expire.
  metadata                    1 ObjectMeta
  eventTime                   2 microtime!    # Time of the first occurrence.
  series                      3 EventSeries?
  reportingController         4 string        # Controller that reports it, such as demo.dev/controller.
  reportingInstance           5 string        # Instance of the reporting controller.
  action                      6 string        # Action that was taken or failed.
  reason                      7 string        # Machine-readable reason, one CamelCase word.
  regarding                   8 core/v1.ObjectReference
  related                     9 core/v1.ObjectReference?
  note                       10 string        # Human-readable description of what happened.
  type                       11 string        # Normal or Warning.
  deprecatedSource           12 core/v1.EventSource
  deprecatedFirstTimestamp   13 time          # Time of the first occurrence, in events of core/v1.
  deprecatedLastTimestamp    14 time          # Time of the last occurrence, in events of core/v1.
  deprecatedCount            15 int32         # Number of occurrences, in events of core/v1.

type EventSeries                              # Series of repeated occurrences of an event.
  count                       1 int32!        # Number of occurrences so far.
  lastObservedTime            2 microtime!    # Time of the last occurrence.
`;
