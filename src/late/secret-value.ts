/**
 * A secret that the program itself knows: a token, a password, a key.
 *
 * It never shows in error messages, findings or logs. Where it is written into a manifest it stands there in clear, as every Kubernetes
 * manifest does, and a warning says so. A secret that only a live cluster knows is a `LateValue` instead.
 */
export class SecretValue {
  /**
   * A secret as text in the program. Whoever can read the program's source or its output can read it.
   *
   * @param text the secret, not empty
   */
  public static unsafePlainText(text: string): SecretValue {
    return new SecretValue(() => text, 'SecretValue.unsafePlainText');
  }

  /**
   * A secret from an environment variable of the process that synthesizes. The source stays clean, the output holds the value.
   *
   * @param name of the variable; synthesis fails with its name when it is not set or empty
   */
  public static fromEnv(name: string): SecretValue {
    return new SecretValue(() => process.env[name] ?? '', `environment variable ${name}`);
  }

  readonly #produce: () => string;
  readonly #origin: string;

  private constructor(produce: () => string, origin: string) {
    this.#produce = produce;
    this.#origin = origin;
  }

  /** A mask; the secret itself is written by the constructs that take it. */
  public toString(): string {
    return '***';
  }

  /** A mask, so that a secret in a dumped object stays one. */
  public toJSON(): any {
    return this.toString();
  }

  /**
   * The secret in clear.
   * @internal
   */
  public _unwrap(): string {
    const text = this.#produce();
    if (text === '') { throw new Error(`the secret from ${this.#origin} is empty; set it before synthesis`); }
    return text;
  }
}
