import { ITarget } from '../model/target';

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
