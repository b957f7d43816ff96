import { Duration } from 'cdk8s';
import { HiddenObject, HiddenPart, SecretHiding, outlives } from './hiding';
import { hideSecrets, inPlaceOf } from './left-secrets';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject, AssemblyStoreKey } from '../../core/output/assembly';
import { PlainOutput } from '../../core/program/delivery-step';
import { secretValues } from '../../core/sealed-secret/sealed-secret';
import { goDurationText } from '../../core/text/time';
import { EXTERNAL_SECRET } from '../../rancher/credential/secret.kind';

/** The kind of a store of the External Secrets Operator. */
export enum SecretStoreKind {
  /** For all namespaces of a cluster. */
  CLUSTER_SECRET_STORE = 'ClusterSecretStore',
  /** In the namespace of the Secret. */
  SECRET_STORE = 'SecretStore',
}

/** Properties of secrets that the External Secrets Operator reads from a store. */
export interface ExternalSecretsProps {
  /** Name of the store on the cluster. */
  readonly store: string;
  /** Kind of the store. @default SecretStoreKind.CLUSTER_SECRET_STORE */
  readonly storeKind?: SecretStoreKind;
  /**
   * The key of the store that contains a Secret, with `{target}`, `{namespace}` and `{name}` in
   * place of the Secret's own. The value of the key is a map with a property for each key of the
   * Secret. With `{key}`, each key of the Secret has a key of its own in the store.
   * @default {target}/{namespace}/{name}
   */
  readonly keyOf?: string;
  /** How often the operator reads the store. @default 1 hour */
  readonly refreshInterval?: Duration;
}

/** The key in the store without `keyOf`. */
export const DEFAULT_KEY = '{target}/{namespace}/{name}';

const PLACEHOLDERS = ['target', 'namespace', 'name', 'key'];

/** Throws for a store that cannot be right, or for keys that Secrets would share. */
function checkExternalProps({ store, keyOf = DEFAULT_KEY }: ExternalSecretsProps): void {
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(store)) {
    throw new Error(
      `SecretDelivery.externalSecrets: store must be the name of a store on the cluster, got ${JSON.stringify(store)}. Fix: set the name of a ClusterSecretStore`,
    );
  }
  const unknown = [...keyOf.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name]) => name)
    .filter((name) => !PLACEHOLDERS.includes(name));
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  if (unknown.length > 0) {
    throw new Error(
      `SecretDelivery.externalSecrets: keyOf must contain ${known} only, got {${unknown.join('}, {')}}. Fix: use these`,
    );
  }
  if (!keyOf.includes('{name}')) {
    throw new Error(
      `SecretDelivery.externalSecrets: keyOf must contain {name}, got ${JSON.stringify(keyOf)}: all Secrets would have the same values. Fix: add {name}`,
    );
  }
}

const FIX = 'write it with cdk8s-harvester apply, which needs the same secrets';

const NOT_A_SECRET = {
  reason: 'contains a secret, and only Secrets can come from a store',
  fix: `${FIX}; or encrypt it with SecretDelivery.of(construct).use(SecretDelivery.sops(…))`,
};

const LATE = {
  reason: 'waits for a value of a live cluster, which the store does not have',
  fix: `${FIX}; or put the value into the store, and refer to the Secret by name`,
};

/**
 * Secrets as ExternalSecrets; what else contains a secret, or waits for a live cluster, is left to
 * apply. No value is written.
 */
export class ExternalHiding implements SecretHiding {
  constructor(private readonly props: ExternalSecretsProps) {
    checkExternalProps(props);
  }

  public readonly hide = (output: PlainOutput, ids: readonly string[]): HiddenPart => {
    const leftOf = (isSecret: boolean): typeof LATE => (isSecret ? LATE : NOT_A_SECRET);
    const { secrets, ...left } = hideSecrets(
      output,
      ids,
      (entry, secret) => this.external(entry, secret),
      leftOf,
    );
    const { objects } = left;
    return {
      ...left,
      storeKeys: output.assembly.objects
        .filter(({ id }) => secrets.has(id))
        .flatMap((entry) => this.keysOf(entry, secrets.get(entry.id)!)),
      ownFiles: new Map(
        [...objects].flatMap(([id, { entry }]) =>
          entry.template === undefined ? [[id, ''] as const] : [],
        ),
      ),
      answers: new Map([...objects.keys()].map((id) => [id, 'is in no file of the output'])),
    };
  };

  private external(entry: AssemblyObject, secret: Manifest): HiddenObject {
    const { store, storeKind = SecretStoreKind.CLUSTER_SECRET_STORE, refreshInterval } = this.props;
    const { type, immutable } = secret;
    const { name, namespace, labels, annotations } = secret.metadata;
    const manifest: Manifest = {
      ...EXTERNAL_SECRET,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      // defaults are written, too: an engine that compares fields does not find others
      spec: {
        refreshInterval:
          refreshInterval === undefined
            ? '1h0m0s'
            : goDurationText(refreshInterval.toMilliseconds()),
        secretStoreRef: { kind: storeKind, name: store },
        target: {
          name,
          creationPolicy: outlives(entry, secret) ? 'Orphan' : 'Owner',
          // a value that is gone from the store does not delete the Secret
          deletionPolicy: 'Retain',
          ...(immutable === true ? { immutable } : {}),
          template: {
            engineVersion: 'v2',
            mergePolicy: 'Replace',
            metadata: {
              ...(annotations ? { annotations: literal(annotations) } : {}),
              ...(labels ? { labels: literal(labels) } : {}),
            },
            ...(type === undefined ? {} : { type }),
          },
        },
        data: this.values(entry, secret).map(({ secretKey, key, property }) => ({
          secretKey,
          remoteRef: {
            conversionStrategy: 'Default',
            decodingStrategy: 'None',
            key,
            metadataPolicy: 'None',
            ...(property === undefined ? {} : { property }),
          },
        })),
      },
    };
    return inPlaceOf(entry, manifest);
  }

  private values(
    { target }: AssemblyObject,
    secret: Manifest,
  ): { readonly secretKey: string; readonly key: string; readonly property?: string }[] {
    const { keyOf = DEFAULT_KEY } = this.props;
    const { name, namespace = '' } = secret.metadata;
    return [...secretValues(secret).keys()].sort().map((secretKey) => {
      const parts: { readonly [part: string]: string } = {
        target,
        namespace,
        name,
        key: secretKey,
      };
      const key = keyOf.replace(/\{(\w+)\}/g, (_, part: string) => parts[part]);
      return { secretKey, key, ...(keyOf.includes('{key}') ? {} : { property: secretKey }) };
    });
  }

  private keysOf(entry: AssemblyObject, secret: Manifest): AssemblyStoreKey[] {
    const { store, storeKind = SecretStoreKind.CLUSTER_SECRET_STORE } = this.props;
    const values = this.values(entry, secret);
    const place = { store: `${storeKind}/${store}`, objects: [entry.id] };
    if (values.some(({ property }) => property === undefined)) {
      return values.map(({ key }) => ({ ...place, key }));
    }
    return [{ ...place, key: values[0].key, properties: values.map(({ secretKey }) => secretKey) }];
  }
}

/**
 * Texts that the operator does not take for templates.
 * @see external-secrets/external-secrets:pkg/controllers/externalsecret/externalsecret_controller_template.go
 */
function literal(texts: { readonly [key: string]: string }): { readonly [key: string]: string } {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text.replaceAll('{{', '{{ "{{" }}')]),
  );
}
