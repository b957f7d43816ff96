import { createHash } from 'crypto';
import { Construct, IConstruct } from 'constructs';
import { OrderingType, Ordering } from '../construct/edge';
import { needsApp } from '../construct/scope';
import { ITarget } from '../construct/target';
import { LateType } from '../late/late-text';
import {
  LABELED_FIELD,
  MATCHED_FIELD,
  matchText,
  plainLateId,
  waitsForCluster,
} from '../late/late-token';
import { failOnErrors } from '../problem/problem';

/** The object of a live cluster that contains a late value. Its names may contain late values. */
export interface LateObject {
  /** The target of the object. */
  readonly target: ITarget;
  /** e.g. `v1`, `management.cattle.io/v3` */
  readonly apiVersion: string;
  /** e.g. `Secret` */
  readonly kind: string;
  /** The namespace of the object. @default - the object is cluster-scoped */
  readonly namespace?: string;
  /** The name of the object. */
  readonly name: string;
}

/**
 * An object of a live cluster by a label, which contains a late value: e.g. one whose name the
 * cluster generates.
 */
export interface LateLabeledObject {
  /** The target of the object. */
  readonly target: ITarget;
  /** e.g. `v1`, `management.cattle.io/v3` */
  readonly apiVersion: string;
  /** e.g. `Project` */
  readonly kind: string;
  /** The namespace of the object. @default - the object is cluster-scoped */
  readonly namespace?: string;
  /** The label, which only this object has, as `<key>=<value>`. */
  readonly label: string;
}

/**
 * An object of a live cluster by a value of a field, which contains a late value: e.g. a Project by
 * its display name.
 */
export interface LateMatchedObject {
  /** The target of the object. */
  readonly target: ITarget;
  /** e.g. `v1`, `management.cattle.io/v3` */
  readonly apiVersion: string;
  /** e.g. `Project` */
  readonly kind: string;
  /** The namespace of the object. @default - all namespaces, or the object is cluster-scoped */
  readonly namespace?: string;
  /** The path of the field: its keys, joined by dots, e.g. `spec.displayName`. */
  readonly field: string;
  /** The value of the field, which only this object has. */
  readonly value: string;
}

/**
 * The source of a late value on the live clusters. It is data, so that apply works for programs in
 * any language.
 */
export class LateSource {
  /**
   * A field of an object, e.g. `status.clusterName`.
   *
   * @param path the keys, joined by dots; the key of an item of a list is its index, or a field of it: `status.interfaces.name=nic-0.ipAddress`
   * @param object that contains the field
   */
  public static field(path: string, object: LateObject): LateSource {
    return new LateSource('field', object, path);
  }

  /**
   * A field of the only object with a label, e.g. the name of the Default project of a cluster.
   *
   * @param path the keys, joined by dots; of several paths, joined by `|`, the first one with a value is read
   * @param object the object; while several objects have the label, the value is unknown
   */
  public static labeledField(path: string, object: LateLabeledObject): LateSource {
    const { label, ...place } = object;
    return new LateSource(LABELED_FIELD, { ...place, name: label }, path);
  }

  /**
   * A field of the only object with a value in another field, e.g. the name of the Project with a
   * display name. Reading it needs permission to list all objects of the kind.
   *
   * While no object has the value, it is unknown. If several have it, commands report their names
   * and fail.
   *
   * @param path the keys, joined by dots; of several paths, joined by `|`, the first one with a value is read
   * @param object the object
   */
  public static matchedField(path: string, object: LateMatchedObject): LateSource {
    const { field, value, ...place } = object;
    if (field === '' || field.includes('=')) {
      throw new Error(
        `LateSource.matchedField: field must be the path of a field, got ${JSON.stringify(field)}. Fix: set its keys, joined by dots, e.g. spec.displayName`,
      );
    }
    if (value === '') {
      throw new Error(
        `LateSource.matchedField: value must not be empty. Fix: set the value of ${field} that only this object has`,
      );
    }
    return new LateSource(MATCHED_FIELD, { ...place, name: matchText(field, value) }, path);
  }

  /**
   * A key of a Secret, decoded.
   *
   * @param key below `data`
   * @param object the Secret
   */
  public static secretKey(key: string, object: LateObject): LateSource {
    return new LateSource('secret-key', object, key);
  }

  /**
   * The registration URL of a ClusterRegistrationToken: `status.manifestUrl`, with `{token}`
   * replaced from the Secret that `status.tokenSecretName` names, if Rancher leaves it in. Works
   * with every Rancher version.
   *
   * @param object the ClusterRegistrationToken
   */
  public static registrationUrl(object: LateObject): LateSource {
    return new LateSource('registration-url', object, 'status.manifestUrl');
  }

  /**
   * A text that contains other late values, e.g. a kubeconfig with a token and a certificate, so
   * that its Base64 form can be used.
   *
   * @param text that contains the markers of other late values
   */
  public static text(text: string): LateSource {
    return new LateSource('text', undefined, undefined, text);
  }

  declare private readonly nominal: true;

  private constructor(
    /**
     * The name of the resolver that apply uses: `field`, `labeled-field`, `matched-field`,
     * `secret-key`, `registration-url` or `text`.
     */
    public readonly resolver: string,
    /**
     * The object that contains the value, with its label or value in place of the name for
     * `labeled-field` and `matched-field`; undefined for a text.
     */
    public readonly object?: LateObject,
    /** Path of the field in the object; undefined for a text. */
    public readonly path?: string,
    /** The text with the markers of other late values; undefined for a value of an object. */
    public readonly content?: string,
  ) {}
}

export { LateType };

/** Properties of a late value. */
export interface LateValueProps {
  /** Where the live clusters have the value. */
  readonly source: LateSource;
  /** Description for the users who wait for it. */
  readonly description: string;
  /** The required form of the value. @default LateType.STRING */
  readonly type?: LateType;
  /**
   * Whether it is a credential: it is held in memory only, never in a file or a log.
   * @default false
   */
  readonly sensitive?: boolean;
}

const LATE_VALUE = Symbol.for('cdk8s-harvester.LateValue');

/**
 * A value that exists only after another object is live: a registration URL, a token, a cluster ID.
 *
 * Use it like a string in manifests of any target, also within longer strings and in JSON inside
 * strings. An object that contains one is not written to the output folder: it is a template in the
 * assembly, and apply or a file of resolved values completes it.
 *
 * Do not change the string (case, Base64, substring, URL builders); for encodings use `base64` and
 * `json`. In languages other than TypeScript use the property `token`, not string conversion. Needs
 * HarvesterApp.
 *
 * @example
 * const late = new LateValue(rancher, 'mirror-token', {
 *   description: 'token of the mirror',
 *   source: LateSource.secretKey('token', { target: rancher, apiVersion: 'v1', kind: 'Secret', namespace: 'mirror', name: 'pull' }),
 *   sensitive: true,
 * });
 * new KubernetesObject(rancher, 'mirror', {
 *   apiVersion: 'v1',
 *   kind: 'Secret',
 *   metadata: { name: 'mirror', namespace: 'delivery' },
 *   fields: { stringData: { url: `https://mirror.example.com/?token=${late}` } },
 * });
 */
export class LateValue extends Construct {
  /** @internal */
  public static _isLateValue(construct: IConstruct): construct is LateValue {
    return LATE_VALUE in (construct as object);
  }

  /**
   * The value with an ID below a construct, created at the first call: known once the other object
   * is, if one is given. @internal
   */
  public static _once(
    scope: IConstruct,
    id: string,
    props: LateValueProps,
    after?: IConstruct,
    state = OrderingType.APPLIED,
  ): LateValue {
    const known = scope.node.tryFindChild(id) as LateValue | undefined;
    if (known) {
      return known;
    }
    const late = new LateValue(scope as Construct, id, props);
    if (after) {
      Ordering.of(late)._add(after, state);
    }
    return late;
  }

  /**
   * A text in Base64: a late value below a construct, created at the first call, if the text
   * contains values of live clusters. @internal
   */
  public static _base64Of(
    scope: IConstruct,
    id: string,
    text: string,
    props: Omit<LateValueProps, 'source'>,
  ): string {
    if (!waitsForCluster(text)) {
      return Buffer.from(text).toString('base64');
    }
    return LateValue._once(scope, id, { ...props, source: LateSource.text(text) }).base64;
  }

  /** The ID, derived from the construct path. Files of resolved values use it. */
  public readonly lateId: string;
  /** Where the live clusters have the value. */
  public readonly source: LateSource;
  /** Description for the users who wait for it. */
  public readonly description: string;
  /** The required form of the value. */
  public readonly type: LateType;
  private isSensitive: boolean;

  constructor(scope: Construct, id: string, props: LateValueProps) {
    super(scope, id);
    this.lateId = lateIdOf(this.node.path);
    this.source = props.source;
    this.description = props.description;
    this.type = props.type ?? LateType.STRING;
    this.isSensitive = props.sensitive ?? false;
    this.node.addValidation({
      validate: () =>
        needsApp(
          this,
          `a late value (${this.description})`,
          'keeps objects with unknown values out of the output',
        ),
    });
  }

  /** Whether it is a credential. */
  public get sensitive(): boolean {
    return this.isSensitive;
  }

  /** @internal */
  public _markSensitive(): void {
    this.isSensitive = true;
  }

  /** The value as a string, for any field that takes a string. */
  public get token(): string {
    return `\${late:${this.lateId}}`;
  }

  /** The value in Base64, e.g. for `data` of a Secret. */
  public get base64(): string {
    return `\${late:${this.lateId}|base64}`;
  }

  /**
   * The value with the escapes of a JSON string but without its quotes, for YAML or JSON that is
   * built as text, between double quotes. Text that is JSON as a whole is recognized automatically.
   */
  public get json(): string {
    return `\${late:${this.lateId}|json}`;
  }

  /** The value as a string, so that it works in template literals. */
  public toString(): string {
    return this.token;
  }
}

Object.defineProperty(LateValue.prototype, LATE_VALUE, { value: true });

const CLEAN_ID = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

// readable, and the same only for the same path: a hash makes up for what the clean-up loses, except
// for capitals
function lateIdOf(path: string): string {
  const plain = plainLateId(path);
  if (CLEAN_ID.test(plain)) {
    return plain;
  }
  const clean = plain.replace(/[^a-z0-9.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  return `${clean || 'late'}-${createHash('sha256').update(path).digest('hex').slice(0, 6)}`;
}

/**
 * How the program refers to an existing object whose name it does not know: by a value that only
 * this object has.
 */
export interface Match {
  /** The prop with the value, e.g. `displayName`. */
  readonly prop: string;
  /** The path of the field, e.g. `spec.displayName`. */
  readonly field: string;
  readonly value: string;
  /** The form of the names of such objects. @default LateType.STRING */
  readonly type?: LateType;
}

/** The kind of the objects that one is looked up among. */
export type MatchedKind = Pick<LateMatchedObject, 'target' | 'apiVersion' | 'kind' | 'namespace'>;

/** The look-up of an object by the name that the UI shows. */
export function byDisplayName(value: string, field = 'spec.displayName'): Match {
  return { prop: 'displayName', field, value };
}

/**
 * The name of the object that a construct looks up, as a late value below the construct. Fails on a
 * value that no object has.
 */
export function nameOfMatch(construct: Construct, kind: MatchedKind, match: Match): string {
  const { prop, value } = match;
  failOnErrors(
    construct,
    value === ''
      ? [{ path: prop, value, message: 'must not be empty', fix: 'set the text that the UI shows' }]
      : [],
  );
  return lookUp(construct, { id: 'Name', path: 'metadata.name' }, kind, match);
}

/**
 * A field of the object that a construct looks up, as a late value below the construct, created
 * once.
 *
 * @param late the ID of the late value, and the path of the field
 */
export function lookUp(
  construct: Construct,
  { id, path }: { readonly id: string; readonly path: string },
  kind: MatchedKind,
  { prop, field, value, type }: Match,
): string {
  const known = construct.node.tryFindChild(id) as LateValue | undefined;
  return (
    known ??
    new LateValue(construct, id, {
      description: `${path.split('|')[0].split('.').at(-1)} of the ${kind.kind} with ${prop} "${value}"`,
      type,
      source: LateSource.matchedField(path, { ...kind, field, value }),
    })
  ).token;
}
