import { isLate } from '../../core/late/late-token';
import { Manifest, annotationsOf } from '../../core/manifest/manifest';
import { Problem, SomeProblems, joinedProblems } from '../../core/problem/problem';
import { JudgedObject, World } from '../../core/rule/rule';
import { isSecretMissing } from '../../core/rule/world-lookup';
import { secretEntry } from '../../core/secret/definition';
import { plainText } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { CloudConfigReference } from '../cluster/cluster-reader.facts';
import {
  CLOUD_CONFIG_KEY,
  SECRET_AUTHORIZED,
  SECRET_DELETES,
  SECRET_SCHEME,
} from '../cluster/cluster.kind';
import { KubeconfigView, isLocalServer, viewKubeconfig } from '../kubeconfig/kubeconfig.check';
import { CLOUD_PROVIDER_CONFIG } from '../kubernetes/rke2.data';

/** Checks a reference to a cloud-config Secret, and the Secret, as Rancher's planner does. */
export function checkCloudConfig(
  cluster: JudgedObject,
  reference: CloudConfigReference,
  world: World,
): SomeProblems {
  const { path, text, namespace, name } = reference;
  if (isLate(text)) {
    return undefined;
  }
  if (!text.startsWith(SECRET_SCHEME)) {
    return {
      path,
      level: 'warning',
      message:
        'must not be the kubeconfig itself: Rancher moves it into a Secret and rewrites the field only once; ' +
        'a later apply of the same text is a change that Rancher does not move',
      fix: `put it into a Secret under the key ${CLOUD_CONFIG_KEY} and write ${SECRET_SCHEME}<namespace>:<name>`,
    };
  }
  if (namespace === undefined || name === undefined) {
    return {
      path,
      value: text,
      message: 'must be a reference to a Secret',
      fix: `write ${SECRET_SCHEME}<namespace>:<name>`,
      says: `provided value for ${CLOUD_PROVIDER_CONFIG} secret is malformed, must be of the format secret://namespace:name`,
    };
  }
  const secret = secretOf(cluster, reference, world);
  if (secret) {
    return joinedProblems(
      checkAuthorized(cluster, secret.manifest, reference),
      checkContent(secret.manifest, reference),
    );
  }
  return (
    isSecretMissing(world, cluster, namespace, name) && {
      path,
      value: text,
      level: 'warning',
      message: 'does not match any known Secret: unless it exists, no node gets a plan',
      fix: 'declare the Secret, or apply it before the Cluster',
      says: `secrets "${name}" not found`,
    }
  );
}

function checkAuthorized(
  cluster: JudgedObject,
  secret: Manifest,
  { path, namespace = '', name = '' }: CloudConfigReference,
): SomeProblems {
  const clusterName = cluster.manifest.metadata.name;
  const annotations = annotationsOf(secret);
  const authorized = annotations[SECRET_AUTHORIZED];
  if (authorized === clusterName || isLate(authorized) || isLate(clusterName)) {
    return undefined;
  }
  const names = typeof authorized === 'string' ? authorized.split(',') : [];
  if (!names.includes(clusterName)) {
    return {
      path,
      value: `${SECRET_SCHEME}${namespace}:${name}`,
      message:
        authorized === undefined
          ? `must name a Secret with annotation ${SECRET_AUTHORIZED}`
          : `must name a Secret for this Cluster: its annotation names ${plainText(authorized)}`,
      fix: `set annotation ${SECRET_AUTHORIZED} of the Secret to "${clusterName}"`,
      says: `the secret 'secret://${namespace}:${name}' provided within the cloud-provider-config does not belong to cluster '${clusterName}'`,
    };
  }
  return (
    names.length > 1 &&
    annotations[SECRET_DELETES] === 'true' && {
      path,
      level: 'warning',
      message:
        'must name a Secret for one cluster: Rancher never deletes a Secret for several clusters',
      fix: `remove annotation ${SECRET_DELETES}, or use one Secret for each cluster`,
    }
  );
}

function checkContent(
  secret: Manifest,
  { path, namespace = '', name = '' }: CloudConfigReference,
): SomeProblems {
  const { text } = secretEntry(secret, CLOUD_CONFIG_KEY, isLate) ?? { text: '' };
  return (
    text === '' && {
      path,
      value: `${SECRET_SCHEME}${namespace}:${name}`,
      message: `must name a Secret with the key ${CLOUD_CONFIG_KEY}`,
      fix: `put the kubeconfig under ${CLOUD_CONFIG_KEY}`,
      says: `the cloud-provider-config specified a secret, but no config could be found within the secret 'secret://${namespace}:${name}'`,
    }
  );
}

/** The kubeconfig in the cloud-config Secret of a cluster; undefined if it is late or unknown. */
export function kubeconfigOfSecret(
  cluster: JudgedObject,
  reference: CloudConfigReference,
  world: World,
): KubeconfigView | 'none' | undefined {
  const secret = secretOf(cluster, reference, world);
  return secret && kubeconfigIn(secret.manifest);
}

const secretsIn = byObject((_: World) => new Map<CloudConfigReference, JudgedObject | undefined>());

/** The Secret of a reference; undefined if it is unknown. */
function secretOf(
  cluster: JudgedObject,
  reference: CloudConfigReference,
  world: World,
): JudgedObject | undefined {
  const { namespace, name } = reference;
  if (namespace === undefined || name === undefined) {
    return undefined;
  }
  const known = secretsIn(world);
  if (!known.has(reference)) {
    known.set(reference, world.find(cluster, '', 'Secret', namespace, name));
  }
  return known.get(reference);
}

const kubeconfigIn = byObject((secret: Manifest): KubeconfigView | 'none' | undefined => {
  const text = secretEntry(secret, CLOUD_CONFIG_KEY, isLate)?.text;
  return !text || isLate(text) ? undefined : (viewKubeconfig(text) ?? 'none');
});

/**
 * Checks the kubeconfig of a cluster: its namespace is that of the machines, which can reach its
 * server.
 */
export function* checkKubeconfig(
  path: string,
  config: KubeconfigView | 'none',
  vmNamespace: string | undefined,
): Iterable<Problem> {
  if (config === 'none') {
    yield {
      path,
      message: 'must name a Secret with a kubeconfig',
      fix: 'put the text of a kubeconfig there',
    };
    return;
  }
  if (config.server !== undefined && isLocalServer(config.server)) {
    yield {
      path,
      value: config.server,
      message:
        'must not be a local address in the kubeconfig, at which machines do not reach Harvester',
      fix: 'use the management address of the Harvester, https://<VIP>:6443',
    };
  }
  const namespace = config.namespace ?? 'default';
  if (vmNamespace !== undefined && namespace !== vmNamespace) {
    yield {
      path,
      value: namespace,
      message:
        `must be the namespace of the machines, ${vmNamespace}, in the kubeconfig${config.namespace === undefined ? ', which names none' : ''}: otherwise ` +
        'the cloud provider does not find them',
      fix: `set the namespace of the kubeconfig's context to ${vmNamespace}`,
    };
  }
}
