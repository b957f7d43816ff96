import {
  DoctorCheck,
  Symptom,
  LiveWorld,
  SeenTarget,
  liveCondition,
  knows,
  listOf,
  secretText,
  liveTextAt,
} from './live-world';
import { hostOf, rancherOfHarvester, serverUrlOf } from './status';
import { LOCAL_CLUSTER, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AgentTrouble, podTroubles, wordsOf } from '../../engine/agents/agent-pods';

import { LiveObject } from '../../engine/cluster/cluster';
import {
  registeredBy,
  registrationOf,
} from '../../harvester/settings/catalogue/registration.facts';
import { CLUSTER_AGENT, CONDITION, hasConnected } from '../../rancher/cluster/cluster.facts';
import {
  TOKEN_PLACEHOLDER,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
} from '../../rancher/import/registration-token.kind';

/**
 * The other keys of the Secret of a token.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go
 */
const PREVIOUS_TOKEN = 'previousToken';
const EXPIRES = 'expiresAt';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function settingsOf(seen: SeenTarget): LiveObject[] {
  return listOf(seen, 'settings').filter(
    ({ metadata }) => metadata.name === SETTING_REGISTRATION_URL,
  );
}

/** Whether Rancher is connected to a management cluster right now. */
function isConnected(rancher: SeenTarget | undefined, clusterId: string): boolean {
  const cluster =
    rancher &&
    listOf(rancher, 'management-clusters').find(({ metadata }) => metadata.name === clusterId);
  return cluster !== undefined && liveCondition(cluster, CONDITION.CONNECTED)?.status === 'True';
}

const BAD_URL: DoctorCheck = {
  id: 'registration/bad-url',
  level: 'error',
  what: 'the registration URL of a Harvester is one that Rancher answers',
  source:
    'harvester/harvester:pkg/controller/master/setting/cluster_registration_url.go; seen on Harvester 1.7.2',
  on: ['harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of settingsOf(seen)) {
      const value = liveTextAt(object, 'value');
      const { url } = registrationOf(value);
      if (value === '') {
        continue;
      }
      if (url.includes(TOKEN_PLACEHOLDER) || /%7btoken%7d/i.test(url)) {
        yield {
          object,
          message: `its URL holds the literal ${TOKEN_PLACEHOLDER}, which Rancher answers with "cluster not found or invalid token"`,
          fix:
            'put the token there: it is in the Secret crt-token-<name> in the namespace of the cluster on Rancher, under the key token; ' +
            'a late value (LateSource.registrationUrl) does it by itself',
        };
      } else if (url === '') {
        yield {
          object,
          message:
            'its value has no url, which Harvester took as a reset: the cluster agent was deleted, and the Setting still has configured=True',
          fix: 'give {"url":"https://<rancher>/v3/import/<token>_<cluster id>.yaml","insecureSkipTLSVerify":false}',
        };
      } else if (!registeredBy(object.value)) {
        yield {
          object,
          message: 'its URL is none of an import manifest',
          fix: 'give https://<rancher>/v3/import/<token>_<cluster id>.yaml',
        };
      } else if (
        !rancherOfHarvester(seen, world) &&
        world.ofKind('rancher').some((rancher) => knows(rancher, 'settings'))
      ) {
        const hosts = world
          .ofKind('rancher')
          .map((rancher) => hostOf(serverUrlOf(rancher)))
          .join(', ');
        yield {
          object,
          level: 'warning',
          message: `it registers with ${new URL(url).host}, which is not a Rancher of this program (${hosts})`,
          fix: 'register it with the Rancher of the program, or remove it from the program',
        };
      }
    }
  },
};

const DEAD_TOKEN: DoctorCheck = {
  id: 'registration/dead-token',
  level: 'error',
  what: 'Rancher knows the token in the registration URL',
  source:
    'rancher/rancher:pkg/api/norman/customization/clusterregistrationtokens: tokens are looked up by Secrets crt-token-… ' +
    'in the namespace of the cluster; seen on 2.13.8',
  on: ['harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const rancher = rancherOfHarvester(seen, world);
    if (
      !rancher ||
      !knows(rancher, 'management-clusters', 'registration-tokens', 'token-secrets')
    ) {
      return;
    }
    for (const setting of settingsOf(seen)) {
      yield* tokenSymptoms(setting, rancher, world);
    }
  },
};

/** Whether the token in one registration URL works. */
function* tokenSymptoms(
  setting: LiveObject,
  rancher: SeenTarget,
  world: LiveWorld,
): Iterable<Symptom> {
  const registered = registeredBy(setting.value);
  if (!registered || registered.token.includes('{') || registered.token.startsWith('%7')) {
    return;
  }
  const { clusterId, token } = registered;
  if (!listOf(rancher, 'management-clusters').some(({ metadata }) => metadata.name === clusterId)) {
    yield {
      object: setting,
      message: `it registers as the cluster ${clusterId}, which ${rancher.target.name} does not have`,
      fix: `import it as a cluster of that id, or give the URL of another; there are: ${idsOf(rancher)}`,
    };
    return;
  }
  const secrets = listOf(rancher, 'token-secrets').filter(
    ({ metadata }) =>
      metadata.namespace === clusterId && metadata.name.startsWith(TOKEN_SECRET_PREFIX),
  );
  const current = secrets.find((secret) => secretText(secret, TOKEN_SECRET_KEY) === token);
  if (current) {
    yield* expiry(setting, current, world, renew(clusterId));
    return;
  }
  // an agent that is connected no longer needs the token
  const isAgentConnected = isConnected(rancher, clusterId);
  const after = isAgentConnected
    ? '; the agent is still connected, but nothing can be registered again'
    : '';
  if (secrets.some((secret) => secretText(secret, PREVIOUS_TOKEN) === token)) {
    yield {
      object: setting,
      level: isAgentConnected ? 'info' : 'warning',
      message: `its token was rotated on ${rancher.target.name} and works during the grace period only${after}`,
      fix: renew(clusterId),
    };
    return;
  }
  if (!isTokenInStatus(rancher, clusterId, token)) {
    yield {
      object: setting,
      level: isAgentConnected ? 'info' : 'error',
      message: `${rancher.target.name} does not have this token for the cluster ${clusterId}: "cluster not found or invalid token"${after}`,
      fix: renew(clusterId),
    };
  }
}

/** Whether the status of a ClusterRegistrationToken contains a token. */
function isTokenInStatus(rancher: SeenTarget, clusterId: string, token: string): boolean {
  return listOf(rancher, 'registration-tokens').some(
    (crt) => crt.metadata.namespace === clusterId && liveTextAt(crt, 'status', 'token') === token,
  );
}

function* expiry(
  object: LiveObject,
  secret: LiveObject,
  world: LiveWorld,
  fix: string,
): Iterable<Symptom> {
  const since = world.since(secretText(secret, EXPIRES));
  if (since === undefined || since < -3 * DAY) {
    return;
  }
  const when = since > 0 ? 'any moment' : `in ${Math.ceil(-since / DAY)} days`;
  yield {
    object,
    level: 'info',
    message: `its token is rotated ${when} (${EXPIRES} of Secret ${secret.metadata.namespace}/${secret.metadata.name})`,
    fix,
  };
}

function renew(clusterId: string): string {
  return (
    `give the URL with a token of a Secret crt-token-… in the namespace ${clusterId} on Rancher; ` +
    'one that never rotates: a Secret of your own there, or a ClusterRegistrationToken with spec.ttl 0'
  );
}

function idsOf(rancher: SeenTarget): string {
  return (
    listOf(rancher, 'management-clusters')
      .map(({ metadata }) => metadata.name)
      .join(', ') || 'none'
  );
}

const NO_AGENT: DoctorCheck = {
  id: 'registration/no-agent',
  level: 'error',
  what: "a registered Harvester runs Rancher's agent",
  source:
    'harvester/harvester:pkg/controller/master/setting/cluster_registration_url.go; seen on Harvester 1.7.2',
  on: ['harvester'],
  needs: ['settings', 'agent-deployments'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const there = listOf(seen, 'agent-deployments').some(
      ({ metadata }) => metadata.name === CLUSTER_AGENT.deployment,
    );
    for (const object of there ? [] : settingsOf(seen)) {
      if (!registeredBy(object.value)) {
        continue;
      }
      yield {
        object,
        message: `a registration URL is set, but there is no Deployment ${CLUSTER_AGENT.namespace}/${CLUSTER_AGENT.deployment}`,
        fix: 'see the message of its condition configured; to have Harvester fetch the URL again, remove the annotation harvesterhci.io/hash from the Setting',
      };
    }
  },
};

const TOKEN_SECRET_MISSING: DoctorCheck = {
  id: 'registration-token/no-secret',
  level: 'warning',
  what: 'the Secret that a ClusterRegistrationToken names exists',
  source:
    'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go (2.13.8, 2.14.4, 2.15.0 and later)',
  on: ['rancher'],
  needs: ['registration-tokens', 'token-secrets'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const secrets = listOf(seen, 'token-secrets');
    // only the namespaces that Harvesters register in were read
    const read = new Set(secrets.map(({ metadata }) => metadata.namespace));
    for (const object of listOf(seen, 'registration-tokens')) {
      const { namespace } = object.metadata;
      const name = liveTextAt(object, 'status', 'tokenSecretName');
      if (
        name === '' ||
        !read.has(namespace) ||
        secrets.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
      ) {
        continue;
      }
      yield {
        object,
        message: `its token must be in the Secret ${name}, which does not exist: its registration URL does not work`,
        fix: 'write that Secret with the key token again, or delete the ClusterRegistrationToken',
      };
    }
  },
};

export const REGISTRATION_CHECKS: readonly DoctorCheck[] = [
  BAD_URL,
  DEAD_TOKEN,
  NO_AGENT,
  TOKEN_SECRET_MISSING,
];

function* troubles(seen: SeenTarget, kind: AgentTrouble['kind']): Iterable<Symptom> {
  for (const pod of [...listOf(seen, 'agent-pods'), ...listOf(seen, 'fleet-pods')]) {
    for (const { message, fix, object = pod } of podTroubles(pod).filter(
      (trouble) => trouble.kind === kind,
    )) {
      yield { object, message: wordsOf(message, object), fix };
    }
  }
}

const IMAGE_PULL: DoctorCheck = {
  id: 'agent/image-pull',
  level: 'error',
  what: "the images of Rancher's agents can be pulled",
  source:
    'Harvester docs, air-gapped environment; rancher/rancher-agent is not in every Harvester ISO',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'image-pull'),
};

const CRASHING: DoctorCheck = {
  id: 'agent/crashing',
  level: 'error',
  what: "Rancher's agents run",
  source:
    'rancher/rancher:pkg/systemtemplate/template.go; field: harvester#2028, #3457, #6049, #7105, #7284',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'not-running'),
};

const UNREACHABLE: DoctorCheck = {
  id: 'agent/cannot-reach-rancher',
  level: 'error',
  what: "Rancher's agents can resolve, reach and trust Rancher, by the log of one that crashes",
  source: 'rancher/rancher:package/run.sh, cmd/agent/main.go',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'log'),
};

const CHECK_AGENT =
  `check the pods of ${CLUSTER_AGENT.deployment} on the cluster (doctor checks them if the cluster is a target), ` +
  'that server-url can be reached from it, and agent-tls-mode';

const NOT_CONNECTED: DoctorCheck = {
  id: 'cluster/not-connected',
  level: 'error',
  what: 'Rancher is connected to its clusters; a warning for one that has not connected yet',
  source: 'rancher/rancher:pkg/controllers/managementuser/clusterconnected',
  on: ['rancher'],
  needs: ['management-clusters'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'management-clusters')) {
      const connected = liveCondition(object, CONDITION.CONNECTED);
      if (
        object.metadata.name === LOCAL_CLUSTER ||
        object.metadata.deletionTimestamp !== undefined ||
        connected?.status === 'True'
      ) {
        continue;
      }
      const name = liveTextAt(object, 'spec', 'displayName') || 'the cluster';
      const words = connected?.message ? `: ${wordsOf(connected.message, object)}` : '';
      // from Rancher 2.15, Connected is False from the start
      yield hasConnected(object)
        ? { object, message: `${name} has lost its connection${words}`, fix: CHECK_AGENT }
        : {
            object,
            level: 'warning',
            message: `${name} has not connected yet${words}`,
            fix: `register it, a Harvester by its Setting ${SETTING_REGISTRATION_URL}; if it is registered for some minutes, ${CHECK_AGENT}`,
          };
    }
  },
};

export const AGENT_CHECKS: readonly DoctorCheck[] = [
  IMAGE_PULL,
  CRASHING,
  UNREACHABLE,
  NOT_CONNECTED,
];
