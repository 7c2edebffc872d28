/** Events in their newer form; the same objects as those of the core group. */
export const events = `
group events.k8s.io/v1 io.k8s.api.events.v1

kind Event                                    # Something that happened to an object. Events vanish after a while.
  metadata                    1 ObjectMeta
  eventTime                   2 microtime!    # When it happened first.
  series                      3 EventSeries?
  reportingController         4 string        # Who reports it, such as demo.dev/controller.
  reportingInstance           5 string        # Which of the reporters it was.
  action                      6 string        # What was done or failed.
  reason                      7 string        # Why it happened, in one word for programs.
  regarding                   8 core/v1.ObjectReference
  related                     9 core/v1.ObjectReference?
  note                       10 string        # What happened, in words for people.
  type                       11 string        # Normal or Warning.
  deprecatedSource           12 core/v1.EventSource
  deprecatedFirstTimestamp   13 time          # When it happened first, in events of the older form.
  deprecatedLastTimestamp    14 time          # When it happened last, in events of the older form.
  deprecatedCount            15 int32         # How often it happened, in events of the older form.

type EventSeries                              # How often and until when something went on happening.
  count                       1 int32!        # How often it happened so far.
  lastObservedTime            2 microtime!    # When it happened last.
`;
