import { randomBytes } from 'crypto';
import { readFileSync } from 'fs';
import { SECRET_ID_PREFIX } from './late-token';
import { LateValue } from './late-value';

/** The environment variable that lets a build do without secrets. */
const MODE_ENV = 'CDK8S_HARVESTER_SECRETS';
const PLACEHOLDER_MODE = 'placeholder';

/**
 * Options of a secret from a file.
 */
export interface SecretFileOptions {
  /**
   * Whether a line break at the end of the file belongs to the secret, as it does in a private key of OpenSSH.
   * @default false - one line break at the end is removed, since editors and `echo` add one
   */
  readonly keepTrailingNewline?: boolean;
}

/** Where the text of a secret comes from. */
interface Origin {
  /** For people, e.g. `environment variable TOKEN`. */
  readonly name: string;
  readonly read: () => string;
  /** What to do where it is empty or missing. */
  readonly fix: string;
  /** Whether a placeholder may be written in its place, in a build without secrets. */
  readonly isOutside: boolean;
  readonly late?: LateValue;
}

/** Another one in each process, so that nobody can write a token by hand; the registry is one for all copies of the library. */
const RUN = randomBytes(4).toString('hex');
const REGISTRY = Symbol.for('cdk8s-harvester.Secrets');

/**
 * A secret that the program knows: a token, a password, a key.
 *
 * It works as a string, in template literals, in JSON, in base64 and as a value of a plain ApiObject: what it gives is a marker, and synthesis puts
 * the secret in its place. It never shows in error messages, findings or logs. In a manifest it is in plain text, as in every Kubernetes manifest;
 * synthesis warns where that is not a Secret. A secret that only a live cluster knows is a `LateValue`, and `fromLate` makes a SecretValue of it.
 *
 * Do not change the marker (case, URL escapes, cuts). In other languages than TypeScript use the property `token`, not string conversion. The
 * objects must be below a target chart.
 */
export class SecretValue {
  /**
   * A secret as text in the program. Whoever can read the program's source or its output can read it.
   *
   * @param text the secret, not empty
   */
  public static unsafePlainText(text: string): SecretValue {
    return new SecretValue({ name: 'SecretValue.unsafePlainText', read: () => text, fix: 'give a text that is not empty', isOutside: false });
  }

  /**
   * A secret from an environment variable of the process that synthesizes. The source stays clean, the output holds the value.
   *
   * With `CDK8S_HARVESTER_SECRETS=placeholder` in the environment a variable that is not set gives a placeholder, for builds without secrets: the
   * output is marked, and plan, apply and lint refuse it.
   *
   * @param name of the variable; synthesis fails with its name if it is not set or empty
   */
  public static fromEnv(name: string): SecretValue {
    return new SecretValue({
      name: `environment variable ${name}`,
      read: () => process.env[name] ?? '',
      fix: 'set it before synthesis',
      isOutside: true,
    });
  }

  /**
   * A secret from a file, as UTF-8 text. The source stays clean, the output holds the value. With `CDK8S_HARVESTER_SECRETS=placeholder` a file that
   * does not exist gives a placeholder, as with `fromEnv`.
   *
   * @param path of the file, from the working directory of synthesis
   */
  public static fromFile(path: string, options: SecretFileOptions = {}): SecretValue {
    return new SecretValue({
      name: `file ${path}`,
      read: () => textOf(path, options.keepTrailingNewline ?? false),
      fix: 'write the file before synthesis',
      isOutside: true,
    });
  }

  /**
   * A secret that only a live cluster knows: what holds it waits for the late value, which counts as a credential from then on.
   *
   * @param lateValue that gives the secret
   */
  public static fromLate(lateValue: LateValue): SecretValue {
    lateValue._markSensitive();
    return new SecretValue({ name: lateValue.description, read: () => lateValue.token, fix: '', isOutside: false, late: lateValue });
  }

  /**
   * The secret that a marker stands for.
   * @internal
   */
  public static _of(id: string): SecretValue | undefined {
    return registry().get(id);
  }

  /**
   * Whether any marker was asked for in this process.
   * @internal
   */
  public static _anyMarkers(): boolean {
    return registry().size > 0;
  }

  readonly #origin: Origin;
  #id?: string;

  private constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** The marker of the secret, wherever a string goes; synthesis puts the secret in its place. */
  public get token(): string {
    return this.#origin.late?.token ?? `\${late:${this.id()}}`;
  }

  /** The marker of the secret in base64, for `data` of a Secret. */
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

  /**
   * Where the secret comes from, for people.
   * @internal
   */
  public get _origin(): string {
    return this.#origin.name;
  }

  /**
   * Whether a placeholder stands in for the secret: it is missing, in a build without secrets.
   * @internal
   */
  public _isPlaceholder(): boolean {
    return this.#origin.isOutside && isPlaceholderMode() && this.#origin.read() === '';
  }

  /**
   * The secret in plain text; the marker of one that a placeholder stands in for, or that only a live cluster knows.
   * @internal
   */
  public _unwrap(): string {
    if (this._isPlaceholder()) { return this.token; }
    const text = this.#origin.read();
    if (text === '') { throw new Error(`the secret from ${this.#origin.name} is empty; ${this.#origin.fix}`); }
    return text;
  }

  /**
   * The secret in base64, or its marker.
   * @internal
   */
  public _base64(): string {
    return this.#origin.late || this._isPlaceholder() ? this.base64 : Buffer.from(this._unwrap(), 'utf8').toString('base64');
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

function isPlaceholderMode(): boolean {
  const mode = process.env[MODE_ENV];
  if (mode === undefined || mode === '') { return false; }
  if (mode !== PLACEHOLDER_MODE) {
    throw new Error(`environment variable ${MODE_ENV}: must be ${PLACEHOLDER_MODE}, got ${JSON.stringify(mode)}. Fix: set it to ${PLACEHOLDER_MODE}, or leave it out`);
  }
  return true;
}

function textOf(path: string, keepTrailingNewline: boolean): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') { return ''; }
    throw new Error(`the secret from file ${path} cannot be read: ${(error as Error).message}`);
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) { throw new Error(`the secret from file ${path} must be text in UTF-8. Fix: store binary files in base64`); }
  return keepTrailingNewline ? text : text.replace(/\r?\n$/, '');
}
