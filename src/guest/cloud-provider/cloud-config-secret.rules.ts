import { isLate } from '../../core/late/late-token';
import { annotationsOf } from '../../core/manifest/metadata';
import { isSecretMissing } from '../../core/rule/known-objects';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { plainText } from '../../core/text/plain-text';
import { Fields } from '../cluster/cluster-reader';
import { CLOUD_CONFIG_KEY, SECRET_AUTHORIZED, SECRET_DELETES, SECRET_SCHEME } from '../cluster/cluster.kind';
import { KubeconfigView, isLocalServer, readKubeconfig } from '../kubeconfig/kubeconfig.check';
import { CLOUD_PROVIDER_CONFIG } from '../kubernetes/planner-keys.data';

/** A reference to a cloud-config Secret: where it stands and what it names. */
export interface CloudConfigReference {
  readonly path: string;
  readonly text: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The cloud configs that configurations for nodes name; undefined names where the text is no reference. */
export function cloudConfigsOf(configs: ReadonlyArray<{ readonly path: string; readonly config: Fields }>): CloudConfigReference[] {
  return configs.flatMap(({ path, config }): CloudConfigReference[] => {
    const text = config[CLOUD_PROVIDER_CONFIG];
    if (typeof text !== 'string' || text === '') { return []; }
    const at = `${path}.${CLOUD_PROVIDER_CONFIG}`;
    if (!text.startsWith(SECRET_SCHEME)) { return [{ path: at, text }]; }
    const parts = text.slice(SECRET_SCHEME.length).split(':');
    return [parts.length === 2 && parts[0] !== '' && parts[1] !== '' ? { path: at, text, namespace: parts[0], name: parts[1] } : { path: at, text }];
  });
}

/** What is wrong with a reference to a cloud-config Secret, and with the Secret, as Rancher's planner judges them. */
export function* checkCloudConfig(cluster: JudgedObject, reference: CloudConfigReference, world: World): Iterable<Problem> {
  const { path, text, namespace, name } = reference;
  if (!text.startsWith(SECRET_SCHEME)) {
    if (isLate(text)) { return; }
    yield {
      path,
      level: 'warning',
      message: 'holds the kubeconfig itself: Rancher moves it into a Secret and rewrites the field, once; '
        + 'a later apply of the same text is a change that nobody moves again',
      fix: `put it into a Secret under the key ${CLOUD_CONFIG_KEY} and write ${SECRET_SCHEME}<namespace>:<name>`,
    };
    return;
  }
  if (isLate(text)) { return; }
  if (namespace === undefined || name === undefined) {
    yield {
      path,
      value: text,
      message: 'is no reference to a Secret',
      fix: `write ${SECRET_SCHEME}<namespace>:<name>`,
      says: `provided value for ${CLOUD_PROVIDER_CONFIG} secret is malformed, must be of the format secret://namespace:name`,
    };
    return;
  }
  const secret = world.find(cluster, '', 'Secret', namespace, name);
  if (secret) {
    yield* checkSecret(cluster, secret, reference);
  } else if (isSecretMissing(world, cluster, namespace, name)) {
    yield {
      path,
      value: text,
      level: 'warning',
      message: 'is no Secret that is known here: unless it exists, no node gets a plan',
      fix: 'declare the Secret, or apply it before the Cluster',
      says: `secrets "${name}" not found`,
    };
  }
}

function* checkSecret(cluster: JudgedObject, secret: JudgedObject, { path, namespace = '', name = '' }: CloudConfigReference): Iterable<Problem> {
  const clusterName = cluster.manifest.metadata.name;
  const annotations = annotationsOf(secret.manifest);
  const authorized = annotations[SECRET_AUTHORIZED];
  if (!isLate(authorized) && !isLate(clusterName)) {
    const names = typeof authorized === 'string' ? authorized.split(',') : [];
    if (!names.includes(clusterName)) {
      yield {
        path,
        value: `${SECRET_SCHEME}${namespace}:${name}`,
        message: authorized === undefined
          ? `names a Secret without annotation ${SECRET_AUTHORIZED}`
          : `names a Secret that is for ${plainText(authorized)}`,
        fix: `give the Secret the annotation ${SECRET_AUTHORIZED}: "${clusterName}"`,
        says: `the secret 'secret://${namespace}:${name}' provided within the cloud-provider-config does not belong to cluster '${clusterName}'`,
      };
    } else if (names.length > 1 && annotations[SECRET_DELETES] === 'true') {
      yield {
        path,
        level: 'warning',
        message: 'names a Secret for several clusters, which Rancher deletes with none of them',
        fix: `leave annotation ${SECRET_DELETES} out, or give each cluster a Secret of its own`,
      };
    }
  }
  const entry = secretEntry(secret.manifest, CLOUD_CONFIG_KEY, isLate);
  if (entry === undefined || entry.text === '') {
    yield {
      path,
      value: `${SECRET_SCHEME}${namespace}:${name}`,
      message: `names a Secret without the key ${CLOUD_CONFIG_KEY}`,
      fix: `put the kubeconfig under ${CLOUD_CONFIG_KEY}`,
      says: `the cloud-provider-config specified a secret, but no config could be found within the secret 'secret://${namespace}:${name}'`,
    };
  }
}

/** The kubeconfig in the cloud-config Secret of a cluster, where it stands there in full. */
export function kubeconfigOf(cluster: JudgedObject, { namespace, name }: CloudConfigReference, world: World): KubeconfigView | 'none' | undefined {
  if (namespace === undefined || name === undefined) { return undefined; }
  const secret = world.find(cluster, '', 'Secret', namespace, name);
  const text = secret && secretEntry(secret.manifest, CLOUD_CONFIG_KEY, isLate)?.text;
  if (!text || isLate(text)) { return undefined; }
  return readKubeconfig(text) ?? 'none';
}

/** What is wrong with the kubeconfig of a cluster: where its machines are, and whether they can reach it. */
export function* checkKubeconfig(path: string, config: KubeconfigView | 'none', vmNamespace: string | undefined): Iterable<Problem> {
  if (config === 'none') {
    yield { path, message: 'names a Secret that holds no kubeconfig', fix: 'put the text of a kubeconfig there' };
    return;
  }
  if (config.server !== undefined && isLocalServer(config.server)) {
    yield {
      path,
      value: config.server,
      message: 'is the server of the kubeconfig, which is another one on every machine',
      fix: 'use the management address of the Harvester, https://<VIP>:6443',
    };
  }
  const namespace = config.namespace ?? 'default';
  if (vmNamespace !== undefined && namespace !== vmNamespace) {
    yield {
      path,
      value: namespace,
      message: `is the namespace of the kubeconfig${config.namespace === undefined ? ', which names none' : ''}, the machines are in ${vmNamespace}: `
        + 'the cloud provider finds none of them',
      fix: `set the namespace of the kubeconfig's context to ${vmNamespace}`,
    };
  }
}
