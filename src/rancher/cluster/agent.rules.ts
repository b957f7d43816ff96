import {
  FEATURE_AGENT_SCHEDULING,
  CLUSTER_KINDS,
  CLUSTER_VALIDATOR,
  isProvisioned,
} from './cluster.facts';
import {
  checkAgentEnvVars,
  checkDisruptionBudget,
  checkPriorityClass,
  setsNoProxy,
  noProxyOf,
} from './provisioning-cluster.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem, joinedProblems, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { FactCheck, rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { eachValue, fields, quantity } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { quantityOf } from '../../core/text/values';
import { Since } from '../../core/version/product-version';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { GuestGate } from '../../guest/version/guest-gates.data';
import { checkAffinity, checkTolerations } from '../../harvester/affinity/vm-affinity.check';
import { RancherGate, rancherVersionOf } from '../version/rancher-version';

/** The fields of a Cluster, provisioning or management, that customize an agent. */
const AGENT_CUSTOMIZATIONS = [
  'clusterAgentDeploymentCustomization',
  'fleetAgentDeploymentCustomization',
] as const;

const FEATURE_DISABLED = `the '${FEATURE_AGENT_SCHEDULING}' feature must be enabled in order to configure a Priority Class or Pod Disruption Budget`;
const FEATURE_REMOVAL_ONLY = `'${FEATURE_AGENT_SCHEDULING}' feature is disabled, will only permit removal of Scheduling Customization fields until reenabled`;

/** Judges the scheduling of Rancher's agents: its values, and whether the feature is enabled. */
export function* judgeAgentScheduling(object: JudgedObject, world: World): Iterable<Problem> {
  const before = world.beforeOf(object);
  for (const agent of AGENT_CUSTOMIZATIONS) {
    const path = `spec.${agent}.schedulingCustomization`;
    const scheduling = schedulingOf(object.manifest, agent);
    if (!isRecord(scheduling)) {
      continue;
    }
    const lacks = lacksFeature(object.target, RancherGate.SCHEDULING_CUSTOMIZATION);
    if (lacks) {
      yield { path, message: `has no effect: ${lacks}`, fix: 'remove it, or upgrade Rancher' };
      continue;
    }
    yield* checkDisruptionBudget(`${path}.podDisruptionBudget`, scheduling.podDisruptionBudget);
    yield* checkPriorityClass(`${path}.priorityClass`, scheduling.priorityClass);
    const old = before && schedulingOf(before, agent);
    for (const field of ['podDisruptionBudget', 'priorityClass']) {
      if (isRecord(scheduling[field])) {
        yield* judgeFeature(
          object,
          world,
          `${path}.${field}`,
          scheduling[field],
          valueAt(old, field),
        );
      }
    }
  }
}

function schedulingOf(manifest: Manifest, agent: string): unknown {
  return valueAt(manifest, 'spec', agent, 'schedulingCustomization');
}

// unchanged fields are accepted while the feature is off, so that a cluster can still be edited
function* judgeFeature(
  object: JudgedObject,
  world: World,
  path: string,
  now: unknown,
  before: unknown,
): Iterable<Problem> {
  const enabled = featureEnabled(object, world);
  const existed = isRecord(before);
  if (enabled === true || (existed && sameValue(now, before))) {
    return;
  }
  const fix = `enable the feature ${FEATURE_AGENT_SCHEDULING} on Rancher first; it is off by default`;
  const says = existed ? FEATURE_REMOVAL_ONLY : FEATURE_DISABLED;
  if (enabled === false) {
    yield {
      path,
      message: `cannot be set while the feature ${FEATURE_AGENT_SCHEDULING} is off`,
      fix,
      says,
    };
  } else if (!existed && !world.exists(object)) {
    yield {
      path,
      message: `cannot be set unless the feature ${FEATURE_AGENT_SCHEDULING} is on`,
      fix,
      says,
      level: 'warning',
    };
  }
}

/** Whether the feature is on; undefined without a Feature object on the target. */
function featureEnabled(object: JudgedObject, world: World): boolean | undefined {
  const feature = world.find(
    object,
    GROUPS.MANAGEMENT,
    'Feature',
    undefined,
    FEATURE_AGENT_SCHEDULING,
  )?.manifest;
  const value = valueAt(feature, 'spec', 'value') ?? valueAt(feature, 'status', 'default');
  return typeof value === 'boolean' ? value : undefined;
}

const ENV = 'spec.agentEnvVars';
const NO_PROXY_SINCE = Since.of('2.12.0');

// earlier webhooks accept blanks
function refusesSpaces({ target }: JudgedObject): boolean {
  const version = rancherVersionOf(target);
  return version !== undefined && NO_PROXY_SINCE.includes(version);
}

function mayHaveHadSpaces(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  return before
    ? (noProxyOf(valueAt(before, 'spec', 'agentEnvVars'))?.value.includes(' ') ?? false)
    : world.exists(object);
}

/**
 * Whether the server has an imported Cluster already, and so does not read its variables again.
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go updateImportedCluster
 */
function isReadAtCreationOnly({ manifest, target }: JudgedObject, before?: Manifest): boolean {
  return (
    before !== undefined &&
    !isProvisioned(manifest) &&
    !isProvisioned(before) &&
    hasFeature(target, RancherGate.IMPORTED_SPEC_CREATE_ONLY) === true
  );
}

// what the definition refuses is an error in any case
function* judgeAgentEnvVars(
  path: string,
  list: unknown,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  const isIgnored = isReadAtCreationOnly(object, world.beforeOf(object));
  for (const problem of checkAgentEnvVars(path, list)) {
    yield isIgnored && problem.says === undefined ? { ...problem, level: 'warning' } : problem;
  }
}

const checkAmounts = fields({ requests: eachValue(quantity), limits: eachValue(quantity) });

function checkResources(path: string, resources: unknown): readonly Problem[] {
  const [requests, limits] = ['requests', 'limits'].map((field) => valueAt(resources, field));
  return joinedProblems(
    checkAmounts(path, resources),
    isRecord(requests) &&
      isRecord(limits) &&
      problemsOfKeys(requests, (name) => {
        const [asked, limit] = [quantityOf(requests[name]), quantityOf(limits[name])];
        return (
          asked !== undefined &&
          limit !== undefined &&
          asked > limit && {
            path: `${path}.requests.${name}`,
            value: requests[name],
            level: 'warning',
            fix: 'lower the request, or raise the limit',
            says: `must be less than or equal to ${name} limit`,
            message: `must be at most the limit ${plainText(limits[name])}: Rancher accepts it, but the cluster refuses the agent's Deployment`,
          }
        );
      }),
  );
}

/**
 * The check of the customization of Rancher's webhook on a cluster, in provisioning and management
 * Clusters.
 *
 * @param definition whether the kind has a structural definition
 */
export const webhookCustomization = (definition: boolean): FactCheck =>
  function* (path, webhook, object) {
    if (!isRecord(webhook)) {
      return;
    }
    const lacks = lacksFeature(object.target, RancherGate.WEBHOOK_DEPLOYMENT_CUSTOMIZATION);
    if (lacks) {
      const unknown =
        definition && hasFeature(object.target, GuestGate.STRUCTURAL_CLUSTER_DEFINITION);
      yield {
        path,
        message: `has no effect: ${lacks}`,
        fix: 'remove it, or upgrade Rancher',
        ...(unknown ? { says: `unknown field "${path}"` } : {}),
      };
      return;
    }
    const { replicaCount } = webhook;
    if (
      replicaCount !== undefined &&
      replicaCount !== null &&
      (!Number.isInteger(replicaCount) || Number(replicaCount) < 1)
    ) {
      yield {
        path: `${path}.replicaCount`,
        value: replicaCount,
        message: 'must be a whole number of 1 or more',
        fix: 'set replicaCount to 1 or more',
        says: 'must be at least 1',
      };
    }
    yield* checkTolerations(`${path}.appendTolerations`, webhook.appendTolerations);
    yield* checkAffinity(`${path}.overrideAffinity`, webhook.overrideAffinity);
    yield* checkDisruptionBudget(`${path}.podDisruptionBudget`, webhook.podDisruptionBudget);
  };

function* customizationsOf(
  manifest: Manifest,
): Iterable<[string, { readonly [field: string]: unknown }]> {
  for (const agent of AGENT_CUSTOMIZATIONS) {
    const customization = valueAt(manifest, 'spec', agent);
    if (isRecord(customization)) {
      yield [`spec.${agent}`, customization];
    }
  }
}

/** Rules for the fields of a Cluster about Rancher's agents and webhook. */
export const AGENT_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/agent-env-vars',
    what: 'environment variables of the agent have a unique name and a text value, and no other fields such as valueFrom',
    source: 'rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml',
    field: ENV,
    late: 'judged',
    check: judgeAgentEnvVars,
  },
  {
    id: 'cluster/no-proxy',
    what: 'NO_PROXY is a comma-separated list without whitespace, and set with a proxy',
    says: 'Malformed NO_PROXY environment variable value format: detected whitespace in value',
    source: `${CLUSTER_VALIDATOR} validateHTTPNoProxyVariable, from webhook 0.8.0 of Rancher 2.12.0 on`,
    field: ENV,
    *check(_, list, object, world) {
      if (!Array.isArray(list)) {
        return;
      }
      const first = noProxyOf(list);
      const proxy = list.findIndex(
        (variable) =>
          isRecord(variable) &&
          /^https?_proxy$/i.test(plainText(variable.name)) &&
          plainText(variable.value ?? '') !== '',
      );
      if (proxy >= 0 && first === undefined) {
        yield {
          path: `${ENV}[${proxy}]`,
          level: 'warning',
          message:
            'needs NO_PROXY: otherwise nodes reach each other, their pods and Services by the proxy',
          fix: 'set NO_PROXY, e.g. to 127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,.svc,.cluster.local',
          says: '',
        };
      }
      for (const [index, variable] of list.entries()) {
        const value: unknown = setsNoProxy(variable) ? variable.value : undefined;
        if (typeof value !== 'string' || isLate(value) || !/\s/.test(value)) {
          continue;
        }
        // the server looks for blanks in the first of them only; it accepts those that it has
        // already
        const refused =
          refusesSpaces(object) &&
          index === first?.index &&
          value.includes(' ') &&
          !mayHaveHadSpaces(object, world);
        yield {
          path: `${ENV}[${index}].value`,
          message: 'cannot contain whitespace',
          fix: 'separate the entries by commas only',
          level: errorIf(refused),
          ...(refused ? {} : { says: '' }),
        };
      }
    },
  },
  {
    id: 'cluster/agent-placement',
    fields: AGENT_CUSTOMIZATIONS.map((agent) => `spec.${agent}`),
    what: 'tolerations and affinities of the agents have valid keys, operators and selectors',
    source: 'rancher/webhook:pkg/resources/common/deployment_customization.go',
    *judge({ manifest }) {
      for (const [path, customization] of customizationsOf(manifest)) {
        yield* checkTolerations(`${path}.appendTolerations`, customization.appendTolerations);
        yield* checkAffinity(`${path}.overrideAffinity`, customization.overrideAffinity);
      }
    },
  },
  {
    id: 'cluster/agent-resources',
    fields: AGENT_CUSTOMIZATIONS.map((agent) => `spec.${agent}`),
    what: 'requests and limits of the agents are quantities, and no request exceeds its limit',
    source:
      'rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml; https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/',
    judge: ({ manifest }) =>
      problemsOf([...customizationsOf(manifest)], ([path, customization]) =>
        checkResources(
          `${path}.overrideResourceRequirements`,
          customization.overrideResourceRequirements,
        ),
      ),
  },
  {
    id: 'cluster/agent-scheduling',
    fields: AGENT_CUSTOMIZATIONS.map((agent) => `spec.${agent}.schedulingCustomization`),
    what: 'priority class and disruption budget of the agents have values that Rancher accepts, on Rancher 2.11 or later with a feature that is off by default',
    source: `${CLUSTER_VALIDATOR} validatePodDisruptionBudget, validatePriorityClass`,
    judge: judgeAgentScheduling,
  },
  {
    id: 'cluster/webhook-customization',
    what: 'webhookDeploymentCustomization has at least one replica and a disruption budget of one value; it needs Rancher 2.15',
    source:
      'rancher/webhook:pkg/resources/common/deployment_customization.go ValidateWebhookDeploymentCustomization',
    field: 'spec.webhookDeploymentCustomization',
    check: webhookCustomization(true),
  },
]);
