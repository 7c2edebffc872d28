/** Type of a setting. */
export type SettingType =
  | { readonly type: "text" }
  /** Path, relative to the configuration file, or to the working folder in flags and variables. */
  | { readonly type: "path" }
  | { readonly type: "integer"; readonly min: number; readonly max?: number }
  | { readonly type: "number"; readonly min: number }
  | { readonly type: "boolean" }
  /** URL that begins with one of these, such as `redis://`. Errors do not repeat it, since it may have a password. */
  | { readonly type: "url"; readonly schemes: readonly string[] }
  | ChoiceType
  /** A plain number counts milliseconds; with `seconds`, it counts seconds, and 0 is refused. */
  | { readonly type: "duration"; readonly orFalse?: boolean; readonly seconds?: boolean }
  /** Bytes, or text such as `256Mi`. */
  | { readonly type: "size"; readonly min: string }
  /** Number, size or duration: the unit is that of something else, such as a metric. */
  | { readonly type: "amount" }
  | { readonly type: "list"; readonly of: "text" | "path" | "number" | ChoiceType }
  /** Anything, for settings whose path ends with `**`. */
  | { readonly type: "any" };

/** One of some words. */
interface ChoiceType {
  readonly type: "choice";
  readonly choices: readonly string[];
  readonly planned?: readonly string[];
  /** Accepts upper case, too. */
  readonly ignoreCase?: boolean;
  /** Other words for some of the choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Accepts a number, too. */
  readonly orNumber?: boolean;
}

/** One setting. */
export interface Setting {
  /** `listen.port`; `*` matches any name, `[]` the items of a list, and `**` at the end anything. */
  readonly path: string;
  readonly takes: SettingType;
  /** Default, in a list or below `*` for each item or name that is given. */
  readonly default?: string | number | boolean | readonly string[] | undefined;
  /** Section without which there is no default: `control_loop`. */
  readonly whenPresent?: string | undefined;
  /** Has to be given in each item of its list. */
  readonly isRequired?: boolean | undefined;
  /** Hidden by `fettle config`. */
  readonly isSecret?: boolean | undefined;
  /** Environment variable, such as `FETTLE_PORT`. */
  readonly variable?: string | undefined;
  /** Flag of the command line in camel case: `port`, `healthPort`. */
  readonly flag?: string | undefined;
  readonly summary: string;
}
