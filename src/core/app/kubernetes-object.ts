import { ApiObject, ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { failOnErrors } from '../problem/problem';

/** What `fields` cannot contain. */
const OWN_PROPS = ['apiVersion', 'kind', 'metadata'];

/** Properties of an object of any kind. */
export interface KubernetesObjectProps {
  /** The version of its kind, with the group if it has one: `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** Its kind, e.g. `ConfigMap`. */
  readonly kind: string;
  /**
   * Its name, namespace, labels, and annotations.
   *
   * @default - cdk8s generates a name from the construct path
   */
  readonly metadata?: ApiObjectMetadata;
  /**
   * All other fields, by their names in the manifest: `spec`, `data`.
   *
   * @default - no other fields
   */
  readonly fields?: { readonly [key: string]: any };
}

/**
 * An object of any kind, for kinds without a construct of their own. It is the `ApiObject` of cdk8s,
 * whose fields only TypeScript can set, with the prop `fields` for every language.
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
export class KubernetesObject extends ApiObject {
  constructor(scope: Construct, id: string, props: KubernetesObjectProps) {
    const { fields = {}, ...rest } = props;
    super(scope, id, { ...fields, ...rest });
    failOnErrors(
      this,
      OWN_PROPS.filter((name) => name in fields).map((name) => ({
        path: `fields.${name}`,
        message: `cannot be set: ${name} is a prop`,
        fix: `set ${name}`,
      })),
    );
  }
}
