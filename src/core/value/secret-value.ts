import { randomBytes } from 'crypto';
import { existsSync, readFileSync } from 'fs';
import { LateValue } from './late-value';
import { isReview } from './review';
import { SECRET_ID_PREFIX } from '../late/late-token';

/** The environment variable that allows a build without secrets. */
const MODE_ENV = 'CDK8S_HARVESTER_SECRETS';
const PLACEHOLDER_MODE = 'placeholder';

/** Options of a secret from a file. */
export interface SecretFileOptions {
  /**
   * Whether a line break at the end of the file is part of the secret, as in OpenSSH private keys.
   * @default false - one line break at the end is removed, since editors and `echo` add one
   */
  readonly keepTrailingNewline?: boolean;
}

/** What an environment variable may be called. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The conventional names of variables: any other one may be the secret itself, so no message
 * contains it.
 * @see POSIX.1-2017, chapter 8
 */
const CONVENTIONAL = /^[A-Z_][A-Z0-9_]*$/;

/** The longest name of a file in Linux. */
const MAX_FILE_NAME = 255;

function isPath(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    text !== '' &&
    !/[\r\n\0]/.test(text) &&
    text.split('/').every(({ length }) => length <= MAX_FILE_NAME)
  );
}

/** The source of a secret. */
interface Origin {
  /** Description, e.g. `environment variable TOKEN`. */
  readonly name: string;
  readonly read: () => string;
  /** The fix if it is empty or missing. */
  readonly fix: string;
  /**
   * Where it is outside of the program: a build without secrets may write a placeholder instead.
   * @default - in the program
   */
  readonly outside?: OutsideSecret;
  readonly late?: LateValue;
}

/**
 * Differs in each process, so that markers cannot be written by hand; all copies of the library
 * share the registry.
 */
const RUN = randomBytes(4).toString('hex');
const REGISTRY = Symbol.for('cdk8s-harvester.Secrets');

/** A secret that a construct has in plain text. */
export interface UnwrappedSecret {
  /** Description of its source. */
  readonly name: string;
  /** Where it is outside of the program. @default - the program itself contains it */
  readonly outside?: OutsideSecret;
}

/**
 * A secret that the program knows: a token, a password, a key.
 *
 * Use it like a string, in template literals, in JSON, in Base64, and as a value of a plain
 * ApiObject: it returns a marker, which synthesis replaces with the secret. It is never part of
 * error messages, findings, or logs. In a manifest it is in plain text, as in every Kubernetes
 * manifest; synthesis warns if the object is not a Secret. A secret that only a live cluster knows
 * is a `LateValue`; `fromLate` converts it.
 *
 * Do not change the marker (case, URL escapes, truncation). In languages other than TypeScript use
 * the property `token`, not string conversion. The objects must be below a target chart.
 *
 * @example
 * const password = SecretValue.fromEnv('DB_PASSWORD');
 * new KubernetesObject(dc1, 'db', {
 *   apiVersion: 'v1',
 *   kind: 'Secret',
 *   metadata: { name: 'db', namespace: 'shop-vms' },
 *   fields: { stringData: { url: `postgres://shop:${password}@db.example.com` } },
 * });
 */
export class SecretValue {
  /**
   * A secret as text in the program. Anyone who can read the program or its output can read it.
   *
   * @param text the secret, not empty
   */
  public static unsafePlainText(text: string): SecretValue {
    return new SecretValue({
      name: 'SecretValue.unsafePlainText',
      read: () => text,
      fix: 'set a non-empty text',
    });
  }

  /**
   * A secret from an environment variable at synthesis. It is not in the source, but in the output.
   *
   * With `CDK8S_HARVESTER_SECRETS=placeholder` in the environment, a variable that is not set
   * results in a placeholder, for builds without secrets: the output is marked, and plan, apply,
   * and lint refuse it.
   *
   * @param name of the variable; synthesis fails if it is not set or empty
   */
  public static fromEnv(name: string): SecretValue {
    // what is given instead of the name may be the secret itself: the messages do not repeat it
    if (typeof name !== 'string' || !VARIABLE.test(name)) {
      throw new Error(
        "SecretValue.fromEnv: name must be the name of an environment variable, got another text. Fix: give the name, e.g. 'DB_PASSWORD', not its value",
      );
    }
    return SecretValue.outside({ resolver: 'environment', name }, 'set it before synthesis');
  }

  /**
   * A secret from a file, as UTF-8 text. It is not in the source, but in the output. With
   * `CDK8S_HARVESTER_SECRETS=placeholder`, a file that does not exist results in a placeholder, as
   * with `fromEnv`.
   *
   * @param path of the file, from the working directory of synthesis
   */
  public static fromFile(path: string, options: SecretFileOptions = {}): SecretValue {
    if (!isPath(path)) {
      throw new Error(
        'SecretValue.fromFile: path must be the path of a file, got another text. Fix: give the path, not the content',
      );
    }
    const { keepTrailingNewline } = options;
    return SecretValue.outside(
      { resolver: 'file', name: path, ...(keepTrailingNewline ? { keepTrailingNewline } : {}) },
      'write the file before synthesis',
    );
  }

  /**
   * A secret that only a live cluster knows: objects that contain it wait for the late value, which
   * is treated as a credential.
   *
   * @param lateValue the secret
   */
  public static fromLate(lateValue: LateValue): SecretValue {
    lateValue._markSensitive();
    return new SecretValue({
      name: lateValue.description,
      read: () => lateValue.token,
      fix: '',
      late: lateValue,
    });
  }

  /** The secret of a marker. @internal */
  public static _of(id: string): SecretValue | undefined {
    return registry().get(id);
  }

  /**
   * The secrets that constructs have in plain text, by text, the longest first, with where they are
   * if they are outside of the program. @internal
   */
  public static _unwrapped(): readonly (readonly [text: string, origin: UnwrappedSecret])[] {
    return [...unwrapped()].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  }

  /** Whether this process has created any marker. @internal */
  public static _anyMarkers(): boolean {
    return registry().size > 0;
  }

  private static outside(outside: OutsideSecret, fix: string): SecretValue {
    return new SecretValue({
      name: outsideLabel(outside),
      read: () => readOutside(outside),
      fix,
      outside,
    });
  }

  readonly #origin: Origin;
  #id?: string;

  private constructor(origin: Origin) {
    this.#origin = origin;
  }

  /**
   * The marker of the secret, for any field that takes a string. Synthesis replaces it with the
   * secret.
   */
  public get token(): string {
    return this.#origin.late?.token ?? `\${late:${this.id()}}`;
  }

  /** The marker of the secret in Base64, for `data` of a Secret. */
  public get base64(): string {
    return this.#origin.late?.base64 ?? `\${late:${this.id()}|base64}`;
  }

  /** The marker, so that it works in template literals. */
  public toString(): string {
    return this.token;
  }

  /** The marker, so that it works in JSON. */
  public toJSON(): any {
    return this.token;
  }

  /** The marker, so that it works as a value of an ApiObject. */
  public resolve(): any {
    return this.token;
  }

  /** Description of the source of the secret. @internal */
  public get _origin(): string {
    return this.#origin.name;
  }

  /**
   * Where the secret is outside of the program; undefined if the program itself, or only a live
   * cluster, contains it. @internal
   */
  public get _outside(): OutsideSecret | undefined {
    return this.#origin.outside;
  }

  /**
   * Whether a placeholder replaces the secret: it is missing, in a build without secrets, or
   * outside of a program that is reviewed or tested.
   * @internal
   */
  public _isPlaceholder(): boolean {
    return (
      this.#origin.outside !== undefined &&
      (isReview() || isTested() || (isPlaceholderMode() && this.#origin.read() === ''))
    );
  }

  /**
   * What is wrong with a secret outside of the program that is missing: synthesis reports all of
   * them together. @internal
   */
  public _lack(): { readonly message: string; readonly fix: string } | undefined {
    const { outside, name, fix, read } = this.#origin;
    if (outside === undefined || this._isPlaceholder() || read() !== '') {
      return undefined;
    }
    return { message: `the secret from ${name} ${lackOf(outside)}`, fix };
  }

  /** Whether the marker takes the place of the text: of a placeholder, or a missing secret. @internal */
  public _isReplaced(): boolean {
    return this._isPlaceholder() || this._lack() !== undefined;
  }

  /**
   * The secret in plain text; the marker if a placeholder replaces it, it is missing, or only a
   * live cluster knows it. @internal
   */
  public _unwrap(): string {
    if (this._isReplaced()) {
      return this.token;
    }
    const text = this.#origin.read();
    if (text === '') {
      throw new Error(
        `the secret from ${this.#origin.name} ${lackOf(this.#origin.outside)}. Fix: ${this.#origin.fix}`,
      );
    }
    if (!this.#origin.late) {
      const { name, outside } = this.#origin;
      unwrapped().set(text, { name, outside: outside ?? unwrapped().get(text)?.outside });
    }
    return text;
  }

  /** The secret in Base64, or its marker. @internal */
  public _base64(): string {
    return this.#origin.late || this._isReplaced()
      ? this.base64
      : Buffer.from(this._unwrap(), 'utf8').toString('base64');
  }

  private id(): string {
    if (this.#id === undefined) {
      this.#id = `${SECRET_ID_PREFIX}${RUN}-${registry().size + 1}`;
      registry().set(this.#id, this);
    }
    return this.#id;
  }
}

function registry(): Map<string, SecretValue> {
  const holder = globalThis as { [REGISTRY]?: Map<string, SecretValue> };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}

const UNWRAPPED = Symbol.for('cdk8s-harvester.UnwrappedSecrets');

function unwrapped(): Map<string, UnwrappedSecret> {
  const holder = globalThis as { [UNWRAPPED]?: Map<string, UnwrappedSecret> };
  holder[UNWRAPPED] ??= new Map();
  return holder[UNWRAPPED];
}

function isPlaceholderMode(): boolean {
  const mode = process.env[MODE_ENV];
  if (mode === undefined || mode === '') {
    return false;
  }
  if (mode !== PLACEHOLDER_MODE) {
    throw new Error(
      `environment variable ${MODE_ENV}: must be ${PLACEHOLDER_MODE}, got ${JSON.stringify(mode)}. Fix: set it to ${PLACEHOLDER_MODE}, or leave it out`,
    );
  }
  return true;
}

const TESTS = Symbol.for('cdk8s-harvester.TestedSecrets');

/** What of the secrets outside of programs is known while programs are tested. */
interface Tested {
  /** Whether the process has an app for tests. */
  hasApps?: boolean;
  /** Whether the app that is being rendered is one. @default - none is being rendered */
  rendersOne?: boolean;
}

function tested(): Tested {
  return ((globalThis as { [TESTS]?: Tested })[TESTS] ??= {});
}

// a construct does not know of which app a secret will be a part: its marker serves both kinds of
// apps
function isTested(): boolean {
  const { rendersOne, hasApps = false } = tested();
  return rendersOne ?? hasApps;
}

/** From now on, constructs leave secrets outside of the program to the rendering. */
export function expectTests(): void {
  tested().hasApps = true;
}

/**
 * Renders an app.
 *
 * @param isTest whether placeholders replace all secrets outside of the program
 */
export function renderSecrets<T>(isTest: boolean, render: () => T): T {
  const state = tested();
  const { rendersOne } = state;
  state.rendersOne = isTest;
  try {
    return render();
  } finally {
    state.rendersOne = rendersOne;
  }
}

/** A secret that is outside of the program: in an environment variable, or in a file. */
export interface OutsideSecret {
  readonly resolver: 'environment' | 'file';
  /** The name of the variable, or the path of the file from the working directory. */
  readonly name: string;
  /** Whether a line break at the end of the file is part of the secret. @default false */
  readonly keepTrailingNewline?: boolean;
}

/** Whether a late value is a secret outside of the program. */
export function isOutside(source: { readonly resolver: string }): source is OutsideSecret {
  return source.resolver === 'environment' || source.resolver === 'file';
}

/** Where the secret is, e.g. `environment variable TOKEN`. */
export function outsideLabel({ resolver, name }: OutsideSecret): string {
  if (resolver === 'file') {
    return `file ${name}`;
  }
  return CONVENTIONAL.test(name)
    ? `environment variable ${name}`
    : 'an environment variable whose name has other characters than A-Z, 0-9 and _';
}

/**
 * What is wrong with a secret without text: a variable that is not set, a file that does not exist,
 * or an empty one.
 */
export function lackOf(outside: OutsideSecret | undefined): string {
  if (outside?.resolver === 'file') {
    return existsSync(outside.name) ? 'is empty' : 'does not exist';
  }
  return outside === undefined || process.env[outside.name] !== undefined
    ? 'is empty'
    : 'is not set';
}

/** The secret; an empty text where there is none. */
export function readOutside({
  resolver,
  name,
  keepTrailingNewline = false,
}: OutsideSecret): string {
  return resolver === 'file' ? textOf(name, keepTrailingNewline) : (process.env[name] ?? '');
}

function textOf(path: string, keepTrailingNewline: boolean): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return '';
    }
    throw new Error(`the secret from file ${path} cannot be read: ${(error as Error).message}`);
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) {
    throw new Error(
      `the secret from file ${path} must be text in UTF-8. Fix: store binary files in base64`,
    );
  }
  return keepTrailingNewline ? text : text.replace(/\r?\n$/, '');
}
