import { checkRegistrationToken, isSecretPlaceholder } from './registration-token.check';
import {
  DEFAULT_TOKEN,
  SYSTEM_TOKEN,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
} from './registration-token.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, labelsOf, Manifest, valueAt, itemsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Findings } from '../../core/rule/findings';
import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from '../../core/rule/general/plain-secret-fix';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { errorIf, needs } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { onTarget } from '../../core/rule/world-lookup';
import { SecretEntry, secretEntry } from '../../core/secret/definition';
import { managementClusterIdOf } from '../cluster/cluster.facts';
import { RancherGate } from '../version/rancher-version';

/**
 * The management cluster IDs on the target of an object; empty if no provisioning Cluster names
 * one: all may be random.
 */
export const knownClusterIds = onTarget((object, world): ReadonlySet<string> => {
  const ids = world
    .beside(object, GROUPS.PROVISIONING, 'Cluster')
    .flatMap(({ manifest }) => managementClusterIdOf(manifest) ?? [])
    .filter((id) => !isLate(id));
  return new Set(
    ids.length === 0
      ? []
      : [
          ...ids,
          ...world
            .beside(object, GROUPS.MANAGEMENT, 'Cluster')
            .map(({ manifest }) => manifest.metadata.name),
        ],
  );
});

/** Whether the namespace of an object is a known management cluster ID. */
function isInCluster(object: JudgedObject, world: World): boolean {
  const { namespace } = object.manifest.metadata;
  return (
    namespace !== undefined &&
    (knownClusterIds(object, world).has(namespace) ||
      world.knows(object, GROUPS.MANAGEMENT, 'Cluster', undefined, namespace))
  );
}

const LOOKUP =
  'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go; seen on Rancher 2.13.8';

/**
 * Whether Rancher finds a registration token by an object. The prefix has a meaning on Rancher
 * only.
 */
export function isTokenSecret({ manifest, target }: JudgedObject): boolean {
  return (
    manifest.metadata.name.startsWith(TOKEN_SECRET_PREFIX) &&
    target.kind !== 'harvester' &&
    target.kind !== 'guest'
  );
}

/** The token that a Secret holds. */
function tokenOf(secret: Manifest): SecretEntry | undefined {
  return secretEntry(secret, TOKEN_SECRET_KEY, isSecretPlaceholder);
}

/**
 * Tools that fill in the data of a Secret whose manifest has none, by parts of their labels and
 * annotations.
 */
const FILLED_IN =
  /replicat|reflect|sealedsecrets|secret-generator|external-secrets|appscode|avp\.kubernetes|banzaicloud|1password|kyverno|doppler|infisical/;

// also where the target is unknown: the prefix is not reserved
function mayBeFilledIn(object: JudgedObject, world: World): boolean {
  const keys = [
    ...Object.keys(annotationsOf(object.manifest)),
    ...Object.keys(labelsOf(object.manifest)),
  ];
  return (
    keys.some((key) => FILLED_IN.test(key)) ||
    (object.target.kind === undefined && !isInCluster(object, world))
  );
}

/** Rules for the Secrets that hold registration tokens. */
export const TOKEN_SECRET_RULES = rules(
  { kinds: ['/Secret'], on: 'rancher', when: isTokenSecret },
  [
    {
      id: 'registration-token/secret-key',
      what: `a Secret ${TOKEN_SECRET_PREFIX}… holds its token under the key ${TOKEN_SECRET_KEY}`,
      says: 'cluster not found or invalid token',
      source: `${LOOKUP} SecretTokenIndexValues`,
      judge: (object, world) => {
        const entry = tokenOf(object.manifest);
        const fix = `write the token under ${TOKEN_SECRET_KEY}, in stringData or, as base64, in data`;
        if (!entry) {
          const level = mayBeFilledIn(object, world) ? 'warning' : 'error';
          return {
            path: `data.${TOKEN_SECRET_KEY}`,
            level,
            message: 'must be set: Rancher finds no cluster by this Secret',
            fix,
          };
        } else if (entry.says) {
          return { path: entry.path, message: 'must be readable text', fix, says: entry.says };
        }
        return undefined;
      },
    },
    {
      id: 'registration-token/secret-token-form',
      what: 'a registration token consists of characters that a URL path allows, without underscores',
      says: 'cluster not found or invalid token',
      source:
        'rancher/rancher: the import handler splits <token>_<cluster id> at the first underscore',
      judge: (object) => {
        const entry = tokenOf(object.manifest);
        return entry?.text !== undefined && checkRegistrationToken(entry.path, entry.text);
      },
    },
    {
      id: 'registration-token/plain-token',
      plainFiles: true,
      level: 'warning',
      what: 'a registration token in a plain Secret is in Git: anyone who reads it can register a cluster in place of this one',
      source: 'https://kubernetes.io/docs/concepts/configuration/secret/: base64 does not encrypt',
      judge: (object) => {
        const entry = tokenOf(object.manifest);
        return (
          entry?.text &&
          !isSecretPlaceholder(entry.text) && {
            path: entry.path,
            message: 'is a secret in plain text',
            fix: `${PLAIN_SECRET_FIX}, or use a late value`,
            cause: PLAIN_SECRET_CAUSE,
          }
        );
      },
    },
    {
      id: 'registration-token/secret-ignored',
      what: 'Rancher finds registration tokens by their Secrets from 2.13.8, 2.14.4 and 2.15.0; earlier versions ignore the Secret',
      source: LOOKUP,
      field: 'metadata.name',
      check: needs(RancherGate.REGISTRATION_TOKEN_SECRET, {
        value: undefined,
        fix: 'use the token that Rancher generates, as a late value, or upgrade Rancher',
      }),
    },
    {
      id: 'registration-token/immutable-rotation',
      level: 'warning',
      what: 'Rancher writes expiry and rotation to the Secret that a ClusterRegistrationToken names, which an immutable Secret prevents',
      source:
        'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go handleTTL',
      judge: (object, world) => {
        if (object.manifest.immutable !== true) {
          return undefined;
        }
        const { name, namespace } = object.manifest.metadata;
        const rotating = world
          .beside(object, GROUPS.MANAGEMENT, 'ClusterRegistrationToken')
          .find(
            ({ manifest }) =>
              manifest.metadata.namespace === namespace &&
              valueAt(manifest, 'status', 'tokenSecretName') === name &&
              valueAt(manifest, 'spec', 'ttl') !== 0,
          );
        return (
          rotating && {
            path: 'immutable',
            message: `prevents Rancher from rotating the token of ClusterRegistrationToken ${rotating.manifest.metadata.name}`,
            fix: 'set spec.ttl: 0 there, or remove immutable',
          }
        );
      },
    },
  ],
);

const CRT = 'ClusterRegistrationToken';
const CONTROLLER =
  'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ensureTokenSecret; seen on Rancher 2.13.8';

/**
 * The rule for a token's Secret that Rancher treats as that of a ClusterRegistrationToken and
 * overwrites.
 */
export const TOKEN_OVERWRITTEN_RULE = ruleOf({
  id: 'registration-token/overwritten',
  kinds: ['/Secret', `${GROUPS.MANAGEMENT}/${CRT}`],
  what: `a Secret ${TOKEN_SECRET_PREFIX}<name> is not in the namespace of a ClusterRegistrationToken <name> without status: Rancher would overwrite its token`,
  source: CONTROLLER,
  on: 'rancher',
  gate: RancherGate.REGISTRATION_TOKEN_SECRET,
  field: 'metadata.name',
  check: text((_, name, object, world) =>
    object.manifest.kind === 'Secret'
      ? judgeSecret(object, world)
      : judgeToken(name, object, world),
  ),
});

function judgeSecret(object: JudgedObject, world: World): Findings {
  const { manifest } = object;
  if (!isTokenSecret(object) || isOwned(manifest)) {
    return undefined;
  }
  const own = manifest.metadata.name.slice(TOKEN_SECRET_PREFIX.length);
  const crt = world.find(object, GROUPS.MANAGEMENT, CRT, manifest.metadata.namespace, own);
  if (crt && keepsToken(crt.manifest, manifest)) {
    return undefined;
  }
  if (own === DEFAULT_TOKEN || own === SYSTEM_TOKEN) {
    return {
      message: `cannot be the Secret of ${own}, which Rancher creates for every cluster: ${lossOf(manifest)}`,
      fix: 'choose another name',
    };
  }
  return (
    crt && {
      // a live one has its status already, which an apply does not change
      level: errorIf(!world.exists(crt) || manifest.immutable === true),
      message: `cannot be the Secret of ClusterRegistrationToken ${own}: ${lossOf(manifest)}`,
      fix: `remove the ClusterRegistrationToken, Rancher finds the token by the Secret alone; or name the Secret ${TOKEN_SECRET_PREFIX}<another name>`,
    }
  );
}

// the Secret may be live only; where both are judged, the finding is at the Secret
function judgeToken(name: string, object: JudgedObject, world: World): Findings {
  const { manifest } = object;
  const secret = world.exists(object)
    ? undefined
    : world.find(
        object,
        '',
        'Secret',
        manifest.metadata.namespace,
        `${TOKEN_SECRET_PREFIX}${name}`,
      );
  return (
    secret &&
    !world.isJudged(secret) &&
    !isOwned(secret.manifest) &&
    !keepsToken(manifest, secret.manifest) && {
      message: `cannot share its name with the existing Secret ${secret.manifest.metadata.name}: ${lossOf(secret.manifest)}`,
      fix: 'remove the ClusterRegistrationToken, Rancher finds the token by the Secret alone; or choose another name',
    }
  );
}

function lossOf(secret: Manifest): string {
  return secret.immutable === true
    ? 'the Secret is immutable, so Rancher fails permanently on that token'
    : 'Rancher overwrites this token with one that it generates, and so does every apply of the Secret in turn';
}

/** Whether Rancher created the Secret for a ClusterRegistrationToken. */
function isOwned({ metadata }: Manifest): boolean {
  const { ownerReferences } = metadata;
  return itemsAt(ownerReferences).some((owner) => valueAt(owner, 'kind') === CRT);
}

/** Whether Rancher keeps the existing token: it knows its Secret, or moves the same token to it. */
function keepsToken(crt: Manifest, secret: Manifest): boolean {
  if (valueAt(crt, 'status', 'tokenSecretName')) {
    return true;
  }
  const token = valueAt(crt, 'status', 'token');
  return Boolean(token) && (isLate(token) || token === tokenOf(secret)?.text);
}
