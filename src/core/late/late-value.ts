import { createHash } from 'crypto';
import { Construct, IConstruct } from 'constructs';
import { LateType } from './late-text';
import { needsApp } from '../app/app-mark';
import { ITarget } from '../app/target';

/**
 * An object of a live cluster that a late value is read from. Names may hold late values themselves.
 */
export interface LateObject {
  /** The target whose cluster holds the object. */
  readonly target: ITarget;
  /** e.g. `v1`, `management.cattle.io/v3` */
  readonly apiVersion: string;
  /** e.g. `Secret` */
  readonly kind: string;
  /** @default - the object is cluster-scoped */
  readonly namespace?: string;
  /** The name of the object. */
  readonly name: string;
}

/**
 * How a late value is found on the live clusters. Data, so that apply completes programs of any language.
 */
export class LateSource {
  /**
   * A field of an object, e.g. `status.clusterName`.
   *
   * @param object that holds it
   * @param path the keys, joined by dots
   */
  public static field(object: LateObject, path: string): LateSource {
    return new LateSource('field', object, path);
  }

  /**
   * A key of a Secret, decoded.
   *
   * @param object the Secret
   * @param key below `data`
   */
  public static secretKey(object: LateObject, key: string): LateSource {
    return new LateSource('secret-key', object, key);
  }

  /**
   * The registration URL of a ClusterRegistrationToken: `status.manifestUrl`, with `{token}` replaced from the Secret that
   * `status.tokenSecretName` names where Rancher leaves it in. Right on every version of Rancher.
   *
   * @param object the ClusterRegistrationToken
   */
  public static registrationUrl(object: LateObject): LateSource {
    return new LateSource('registration-url', object, 'status.manifestUrl');
  }

  /**
   * A text that is put together from other late values, e.g. a kubeconfig from a token and a certificate: so its base64 can be named as a whole.
   *
   * @param text that holds the tokens of other late values
   */
  public static text(text: string): LateSource {
    return new LateSource('text', undefined, undefined, text);
  }

  private constructor(
    /** The name of the resolver that apply uses: `field`, `secret-key`, `registration-url` or `text`. */
    public readonly resolver: string,
    /** The object that holds the value; undefined for a text. */
    public readonly object?: LateObject,
    /** Where in the object; undefined for a text. */
    public readonly path?: string,
    /** The text with the tokens of other late values; undefined for what is read from an object. */
    public readonly content?: string,
  ) {}
}

export { LateType };

/**
 * Properties of a late value.
 */
export interface LateValueProps {
  /** How it is found on the live clusters. */
  readonly source: LateSource;
  /** What it is, for people who wait for it. */
  readonly description: string;
  /** What it must look like. @default LateType.STRING */
  readonly type?: LateType;
  /** Whether it is a credential: kept in memory, never in a file or a log. @default false */
  readonly sensitive?: boolean;
}

const LATE_VALUE = Symbol.for('cdk8s-harvester.LateValue');

/**
 * A value that exists only after another object is live: a registration URL, a token, a cluster id.
 *
 * It is used as a string, in manifests of any target, also within longer strings and in JSON inside of strings. An object that holds one is not
 * written to the output folder: it stands in the assembly as a template, and apply or a file of resolved values completes it.
 *
 * Do not change the string (case, base64, substring, URL builders): `base64` and `json` are the encodings there are. In other languages than
 * TypeScript use the property `token`, not string conversion. Needs HarvesterApp.
 */
export class LateValue extends Construct {
  /** @internal */
  public static _isLateValue(construct: IConstruct): construct is LateValue {
    return LATE_VALUE in (construct as object);
  }

  /** The id, made from the construct's path: how a file of resolved values names it. */
  public readonly lateId: string;
  /** How it is found on the live clusters. */
  public readonly source: LateSource;
  /** What it is, for people who wait for it. */
  public readonly description: string;
  /** What it must look like. */
  public readonly type: LateType;
  private isSensitive: boolean;

  constructor(scope: Construct, id: string, props: LateValueProps) {
    super(scope, id);
    this.lateId = lateIdOf(this.node.path);
    this.source = props.source;
    this.description = props.description;
    this.type = props.type ?? LateType.STRING;
    this.isSensitive = props.sensitive ?? false;
    Object.defineProperty(this, LATE_VALUE, { value: true });
    this.node.addValidation({ validate: () => needsApp(this, `a late value (${this.description})`, 'keeps objects with unknown values out of the output') });
  }

  /** Whether it is a credential. */
  public get sensitive(): boolean {
    return this.isSensitive;
  }

  /** @internal */
  public _markSensitive(): void {
    this.isSensitive = true;
  }

  /** The value as a string, wherever a string goes. */
  public get token(): string {
    return `\${late:${this.lateId}}`;
  }

  /** The value in base64, e.g. below `data` of a Secret. */
  public get base64(): string {
    return `\${late:${this.lateId}|base64}`;
  }

  /**
   * The value with the escapes of a JSON string but without its quotes: for YAML or JSON that is put together as text, between double quotes.
   * Text that is JSON as a whole is recognised and needs no help.
   */
  public get json(): string {
    return `\${late:${this.lateId}|json}`;
  }

  /** The value as a string, so that it works in template literals. */
  public toString(): string {
    return this.token;
  }
}

// readable, and the same only for the same path: what the clean-up loses, but for capitals, is made up for by a hash
function lateIdOf(path: string): string {
  const plain = path.toLowerCase().replace(/\//g, '.');
  const clean = plain.replace(/[^a-z0-9.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  if (clean === plain) { return clean; }
  return `${clean || 'late'}-${createHash('sha256').update(path).digest('hex').slice(0, 6)}`;
}
