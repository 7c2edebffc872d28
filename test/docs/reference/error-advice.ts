/** What to do about each class of errors that people meet, in the order in which they are likely to. */
export const errorAdvice: Readonly<Record<string, string>> = {
  ApiError: "Look at its `reason`: see above.",
  ConnectionError: "The message says what to look at: whether the server runs, its address, its certificate.",
  KubeconfigError: "Correct the file; `--kubeconfig` and `--context` choose another.",
  ExecPluginError: "Install the plugin that the kubeconfig names, or log in with it.",
  DefinitionError:
    "Correct the schema that `resource()` was given; all problems are listed with their fields.",
  DefinitionRefused: "See [how to upgrade a kind](../how-to/upgrade-a-kind.md).",
  ManifestError: "Correct the file at the line that is named.",
  ConfigError: "Correct the setting at the place that is named; `fettle config` shows what holds.",
  PermanentError: "It is yours to throw; correct the object or what it needs.",
  StepError: "Its `cause` is what the step threw; `undone` and `notUndone` say what was taken back.",
  NameTakenError: "See the reason NameTaken above.",
  CircuitOpenError:
    "The dependency it names failed too often: wait `retryAfter` milliseconds, and look after the dependency.",
  TimeLimitError: "Raise the limit, or find out why it takes so long.",
  NotLeaderError: "Another process leads now; nothing to do. What was not written is done there.",
  SelectorError: "Correct the selector.",
  PatchError: "Correct the patch; its `kind` tells what is wrong with it.",
  NeverStill: "A run causes its own next run: see HotLoop above.",
  StoreError: "Look at its class: see below.",
  StoreInUse: "Stop the process that is named, or use another data folder.",
  StoreUnusable: "Correct the path or its permissions, or use another data folder.",
  StoreForeign: "Use another data folder, or the version of Fettle that wrote it.",
  StoreDamaged:
    "List the damage with `fettle verify`; then restore a backup, or use `fettle salvage`: [how to](../how-to/back-up-and-restore.md). The damaged files are left as they are.",
  StoreFull: "Make room on the disk; the store goes on by itself.",
  StoreFailed: "Look at the disk: the message has its error.",
  StoreClosed: "The store was closed before: do not use it afterwards.",
  Conflict: "Read the key again, and commit with what is there now.",
  InvalidCommit: "Correct the commit; the message says what is wrong with it.",
  Uncertain: "Read to find out whether it was applied.",
  Compacted: "Read anew, and go on from `floor`.",
  FutureRevision: "The revision is of another store: read anew.",
  SlowWatcher: "Watch again from its `revision`, and read faster.",
  BackupDamaged: "Use another backup; this one is incomplete or changed.",
  RestoreRefused:
    "Choose an empty folder; for a restore, `--force` renames the store in it. If nothing can be salvaged, restore a backup.",
  PageNotFound:
    "Correct the path of the request, or the group and version of the kind: the server has no API there.",
  ListenError: "Enable TLS, or listen on 127.0.0.1.",
  CertificateError: "Give another certificate and key, or none to have one made.",
  CredentialsError:
    "Do as the message says; deleting the file has a new one made, and old tokens stop working.",
  TokenFileError: "Correct the line that is named.",
  ModuleError: "Correct the module; what it imports must be installed.",
  StartError: "Do as the message says, such as choosing another port.",
  UnknownKindError: "Name a kind that the server has; the message says what is near.",
  NoManagementError:
    "The command needs a control plane of Fettle's, and this is another server: choose one with `--kubeconfig`.",
  UsageError: "`--help` shows how the command is called. Exit code 2.",
};
