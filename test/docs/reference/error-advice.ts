/** Advice for each class of errors that users see, the most frequent first. */
export const errorAdvice: Readonly<Record<string, string>> = {
  ApiError: "See its `reason` above.",
  ConnectionError:
    "Follow the hint in the message: check that the server runs, its address and its certificate.",
  KubeconfigError: "Correct the file; `--kubeconfig` and `--context` choose another.",
  ExecPluginError: "Install the plugin that the kubeconfig names, or log in with it.",
  DefinitionError:
    "Correct the schema that `resource()` was given; all problems are listed with their fields.",
  DefinitionRefused: "See [how to upgrade a kind](../how-to/upgrade-a-kind.md).",
  ManifestError: "Correct the file at the reported line.",
  ConfigError: "Correct the reported setting; `fettle config` shows the effective values.",
  PermanentError: "Thrown by your code; correct the object or what it needs.",
  StepError:
    "Its `cause` is the error of the step; `undone` and `notUndone` list the steps that were and were not undone.",
  NameTakenError: "See the reason NameTaken above.",
  CircuitOpenError:
    "The named dependency failed too often: repair it, and retry after `retryAfter` milliseconds.",
  TimeLimitError: "Raise the limit, or find out why it takes so long.",
  NotLeaderError: "Nothing: another process leads now, and does the remaining work.",
  SelectorError: "Correct the selector.",
  PatchError: "Correct the patch; its `kind` is the type of the problem.",
  NotIdleError: "A run causes its own next run: see HotLoop above.",
  StoreError: "See its subclasses below.",
  StoreInUse: "Stop the named process, or use another data folder.",
  StoreUnusable: "Correct the path or its permissions, or use another data folder.",
  StoreForeign: "Use another data folder, or the version of Fettle that wrote it.",
  StoreDamaged:
    "List the damage with `fettle verify`; then restore a backup, or use `fettle salvage`: [how to](../how-to/back-up-and-restore.md). The damaged files are left as they are.",
  StoreFull: "Free disk space; the store then continues by itself.",
  StoreFailed: "Check the disk; the message has its error.",
  StoreClosed: "Do not use a store after it was closed.",
  Conflict: "Read the key again, and commit with its current revision.",
  InvalidCommit: "Correct the commit; the message has the reason.",
  Uncertain: "Read the keys to find out whether the commit was applied.",
  Compacted: "Read the current state, and continue from `floor`.",
  FutureRevision: "The revision belongs to another store: read the current state.",
  SlowWatcher: "Watch again from its `revision`, and read faster.",
  EventCycleError:
    "Handlers, plugins or reconcilers emit events for each other. `fettle debug events` shows the chain: each event names its `cause`. Emit only when something has changed.",
  EventLogExpired:
    "The history after a position has been compacted. Read a snapshot, as durable subscriptions do by themselves.",
  EventPatternError:
    "Use names separated by dots, with `*` for one name and `**` for any number: `io.example.device.**`.",
  InvalidEvent:
    "The message names the attribute. Types are names separated by dots; attributes are lower-case letters and digits with short values; the rest belongs into `data`.",
  EventRejected:
    "A handler of the pipeline refused the event, for the reason in the message; correct the producer. The event is a dead letter.",
  PluginHttpError:
    "The service that a plugin called did not answer as expected; the message has its status or the limit that was exceeded.",
  PluginPermissionError:
    "Add the permission in the message to `permissions` of the plugin, if it shall have it.",
  SignatureError:
    "The body, its time or its signature does not fit the secret: check the secret and the clocks of both sides.",
  StateUnavailable:
    "Check that the Redis server at the address in the message runs, and the user and password in `state.url`. Repeat the call; a write may have been performed.",
  StateWatchTooSlow: "Read the keys again, watch anew, and read faster.",
  BackupDamaged: "Use another backup; this one is incomplete or modified.",
  RestoreRefused:
    "Choose an empty folder; for a restore, `--force` renames the store in it. If nothing can be salvaged, restore a backup.",
  PageNotFound:
    "Correct the path of the request, or the group and version of the kind: the server serves no API there.",
  ListenError: "Enable TLS, or listen on 127.0.0.1.",
  CertificateError: "Configure another certificate and key, or none to have one generated.",
  CredentialsError:
    "Follow the hint in the message. If the file is deleted, a new one is created, and old tokens stop working.",
  TokenFileError: "Correct the reported line.",
  ModuleError: "Correct the module; what it imports must be installed.",
  StartError: "Follow the hint in the message, such as choosing another port.",
  UnknownKindError: "Use a kind that the server serves; the message suggests one.",
  NoManagementError:
    "The command needs a Fettle control plane, and this is another server: choose one with `--kubeconfig`.",
  UsageError: "See `--help` of the command. Exit code 2.",
};
