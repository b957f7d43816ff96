import { conditionOf } from '../../core/kind/ready/readiness';
import { groupOf, isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { Redactor } from '../../core/secret/redactor';
import { filledText, textOrEmpty } from '../../core/text/plain-text';
import { registeredBy } from '../../harvester/settings/catalogue/registration.facts';
import { settingReadiness } from '../../harvester/settings/harvester-setting.kind';
import { CLUSTER_AGENT } from '../../rancher/cluster/cluster.facts';
import { AgentTlsMode } from '../../rancher/settings/rancher-setting.kind';
import { BoundTarget, Cluster, LiveObject, RequestOptions } from '../cluster/cluster';
import { ApiError } from '../transport/api';

/**
 * A message of an object without the secrets in the object. Its status is not treated as a secret,
 * or the whole message would be masked.
 */
export function wordsOf(text: string, object: LiveObject): string {
  const { status: _, ...said } = object;
  return new Redactor().about(said).scrub(text);
}

/** Why a target could not be read, without the prefix that names the target. */
export function reasonOf(error: Error, { target, by }: Pick<BoundTarget, 'target' | 'by'>): string {
  const { name } = target;
  const place = `target ${name} (${by}): `;
  return error.message.startsWith(place) ? error.message.slice(place.length) : error.message;
}

/**
 * Waiting reasons of a container whose image cannot be pulled.
 * @see kubernetes/kubernetes:pkg/kubelet/images/types.go
 */
const IMAGE_PROBLEMS: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
];

/**
 * Why an agent of Rancher does not run or connect, from its cluster. The message may contain a
 * secret: scrub it.
 */
export interface AgentTrouble {
  readonly kind: 'registration' | 'missing' | 'image-pull' | 'not-running' | 'log';
  readonly object?: LiveObject;
  readonly message: string;
  /** The fix. */
  readonly fix: string;
}

/** The meaning of a line in an agent's log. */
interface LogRow {
  readonly words: RegExp;
  readonly what: string;
  readonly fix: string;
}

/**
 * Log lines of agents that cannot reach Rancher, the most specific first.
 *
 * @see rancher/rancher:package/run.sh (`ERROR: <server>/ping is not accessible (<words of curl>)`, checksum), cmd/agent/main.go, pkg/agent/cluster/cluster.go;
 * golang/go:src/net/dnsclient.go, src/crypto/x509/verify.go
 */
export const AGENT_LOG: readonly LogRow[] = [
  {
    words:
      /CATTLE_CA_CHECKSUM is set but there is no CA certificate|Configured cacerts checksum .*does not match|does not match with CA certificate Issuer/i,
    what: 'the certificate authority of Rancher is not the one that the agent was given',
    fix: 'set cacerts of Rancher to the authority that signed its certificate, then fetch the registration URL again',
  },
  {
    words:
      /x509: |SSL certificate problem|unable to get local issuer certificate|certificate signed by unknown authority|certificate has expired/i,
    what: 'the agent does not trust the certificate of Rancher',
    fix: 'with agent-tls-mode strict, set cacerts of Rancher to the authority of its certificate; with system-store, set additional-ca of Harvester',
  },
  {
    words:
      /could not resolve (host|proxy)|no such host|server misbehaving|Temporary failure in name resolution/i,
    what: "the agent cannot resolve the host of Rancher's server-url, or its proxy",
    fix: 'add the host to the DNS server that the nodes of this cluster use, or correct server-url',
  },
  {
    words:
      /proxyconnect|from proxy after CONNECT|Proxy Authentication Required|Proxy CONNECT aborted/i,
    what: 'the proxy does not let the agent through',
    fix: 'add the host of Rancher to noProxy of the setting http-proxy, or allow it in the proxy',
  },
  {
    words:
      /is not accessible|connection refused|connection timed out|i\/o timeout|no route to host|network is unreachable/i,
    what: "the agent cannot reach Rancher's server-url",
    fix: 'open the way from the nodes of this cluster to Rancher (port 443), or correct server-url',
  },
  {
    words: /cluster not found|invalid token|websocket: bad handshake|401 Unauthorized/i,
    what: 'Rancher does not accept the token of the agent',
    fix: 'fetch the registration URL again: remove annotation harvesterhci.io/hash from the Setting cluster-registration-url',
  },
];

/**
 * The last line of a log with the reason why an agent cannot connect; undefined if there is none.
 */
export function troubleInLog(log: string): Pick<AgentTrouble, 'message' | 'fix'> | undefined {
  const lines = log.split('\n').reverse();
  for (const { words, what, fix } of AGENT_LOG) {
    const line = lines.find((each) => words.test(each));
    if (line !== undefined) {
      return { message: `${what}: ${line.trim()}`, fix };
    }
  }
  return undefined;
}

/** A container that waits. */
interface Waiting {
  readonly name: string;
  readonly image: string;
  readonly reason: string;
  readonly message: string;
  /** Why it last terminated. */
  readonly last: string;
}

/** The number of log lines that contain the reason why an agent terminated or does not connect. */
const LOG_LINES = 60;

const LOGS = new WeakMap<LiveObject, string>();

const CRASHES = /^(CrashLoopBackOff|RunContainerError|CreateContainer\w*Error)$/;

/**
 * Reads the logs of failing agents, for `podTroubles`. Logs that cannot be read are ignored.
 *
 * @param all whether to read the logs of running agents, too: they may be unable to connect
 */
export async function readLogs(
  pods: readonly LiveObject[],
  cluster: Cluster,
  all: boolean,
  { signal }: RequestOptions = {},
): Promise<void> {
  await Promise.all(
    pods.map(async (pod) => {
      const crashes = waitingIn(pod).some(({ reason }) => CRASHES.test(reason));
      const runs = valueAt(pod, 'status', 'phase') === 'Running';
      if (!crashes && !(all && runs)) {
        return;
      }
      const { namespace = '', name } = pod.metadata;
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=${LOG_LINES}${crashes ? '&previous=true' : ''}`;
      const log: unknown = await readable(async () => cluster.get(path, { signal }));
      if (typeof log === 'string') {
        LOGS.set(pod, log);
      }
    }),
  );
}

/** Finds what keeps an agent from running, or from reaching Rancher. */
export function podTroubles(pod: LiveObject): AgentTrouble[] {
  if (pod.metadata.deletionTimestamp !== undefined) {
    return [];
  }
  const found: AgentTrouble[] = [];
  const log = troubleInLog(LOGS.get(pod) ?? '');
  if (log) {
    found.push({ kind: 'log', object: pod, ...log });
  }
  for (const { name, image, reason, message, last } of waitingIn(pod)) {
    if (IMAGE_PROBLEMS.includes(reason)) {
      found.push({
        kind: 'image-pull',
        object: pod,
        message: `${reason}: cannot pull the image ${image}${message === '' ? '' : ` (${message})`}`,
        fix:
          `make ${image} available in the cluster: a mirror in the setting containerd-registry, a private registry in Rancher's system-default-registry, or import it on each node ` +
          '(`cdk8s-harvester images` lists what is needed); then delete the pod, a new one pulls at once',
      });
    }
    if (CRASHES.test(reason)) {
      const words = last || message;
      found.push({
        kind: 'not-running',
        object: pod,
        message: `${reason}: container ${name}${words === '' ? '' : ` (${words})`}`,
        fix:
          "see its log (kubectl logs --previous); often Rancher's server-url cannot be resolved or reached from there, its certificate is not trusted " +
          '(agent-tls-mode, additional-ca), or noProxy of http-proxy lacks its host',
      });
    }
  }
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') {
    found.push({
      kind: 'not-running',
      object: pod,
      message: `cannot be scheduled: ${scheduled.message ?? ''}`,
      fix: "make room, or change the agent's tolerations and affinity in the program",
    });
  }
  return found;
}

function waitingIn(pod: LiveObject): Waiting[] {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((key) =>
    itemsAt(pod, 'status', key),
  );
  return statuses
    .filter((status) => isRecord(valueAt(status, 'state', 'waiting')))
    .map((status) => ({
      name: textOrEmpty(valueAt(status, 'name')),
      image: textOrEmpty(valueAt(status, 'image')),
      reason: textOrEmpty(valueAt(status, 'state', 'waiting', 'reason')),
      message: textOrEmpty(valueAt(status, 'state', 'waiting', 'message')),
      last: ['reason', 'message']
        .map((key) => textOrEmpty(valueAt(status, 'lastState', 'terminated', key)))
        .filter((each) => each !== '')
        .join(': '),
    }));
}

/** The Setting that registers a Harvester with Rancher. */
const REGISTRATION = {
  apiVersion: API_VERSIONS.HARVESTER,
  kind: 'Setting',
  name: SETTING_REGISTRATION_URL,
};

/** A Harvester that may be the one that an import is of. */
export interface Candidate {
  readonly name: string;
  readonly cluster: Cluster;
  readonly version: string;
}

/**
 * Whether a live object is an import whose agent is not connected: then it is worth looking for the
 * reason where the agent runs.
 */
function waitsForAgent(live: LiveObject): boolean {
  return (
    groupOf(live.apiVersion) === GROUPS.PROVISIONING &&
    live.kind === 'Cluster' &&
    !isRecord(valueAt(live, 'spec', 'rkeConfig')) &&
    managementIdOf(live) !== ''
  );
}

/**
 * The reasons why the agent of an import is not connected, as one text without tokens; undefined if
 * no problem is found.
 */
export async function agentWords(
  cluster: LiveObject,
  rancher: Cluster,
  harvesters: () => Promise<readonly Candidate[]>,
  options: RequestOptions = {},
): Promise<string | undefined> {
  const troubles = waitsForAgent(cluster)
    ? await whyNotConnected(cluster, rancher, await harvesters(), options)
    : [];
  const texts = troubles.map(
    ({ message, fix, object = cluster }) => `${wordsOf(message, object)}. Fix: ${fix}`,
  );
  return texts.length === 0 ? undefined : [...new Set(texts)].join('; ');
}

/**
 * Why the agent of an import is not connected, by its Harvester's registration Setting, Deployment,
 * pods and logs. Empty if no problem is found. Never throws for objects that cannot be read.
 *
 * @param cluster the live import on Rancher
 */
async function whyNotConnected(
  cluster: LiveObject,
  rancher: Cluster,
  harvesters: readonly Candidate[],
  options: RequestOptions = {},
): Promise<readonly AgentTrouble[]> {
  const found: AgentTrouble[] = [];
  const id = managementIdOf(cluster);
  for (const harvester of harvesters) {
    const setting = await readable(async () => harvester.cluster.read(REGISTRATION, options));
    if (!setting || registeredBy(setting.value)?.clusterId !== id) {
      continue;
    }
    found.push(
      ...(await onHarvester(setting, harvester, options)).map((trouble) => ({
        ...trouble,
        message: `on ${harvester.name}: ${trouble.message}`,
      })),
    );
    found.push(...(await strictWithoutCa(rancher, options)));
    return found;
  }
  if (harvesters.length === 0) {
    return [];
  }
  return [
    {
      kind: 'registration',
      message: `no Harvester of this program has a registration URL of ${id} yet (Setting ${SETTING_REGISTRATION_URL} of ${harvesters.map(({ name }) => name).join(', ')})`,
      fix: 'see what that Setting waits for; if the program does not declare it, set it on the Harvester',
    },
  ];
}

async function onHarvester(
  setting: LiveObject,
  { cluster, version }: Candidate,
  options: RequestOptions,
): Promise<AgentTrouble[]> {
  const { state, why } = settingReadiness(setting, version);
  if (state === 'failing') {
    return [
      {
        kind: 'registration',
        object: setting,
        message: `Setting ${SETTING_REGISTRATION_URL} is configured=False: ${why}`,
        fix: 'correct the URL or what the message names; Harvester retries with growing pauses',
      },
    ];
  }
  return state === 'ready' ? onHarvesterAgent(setting, cluster, options) : [];
}

/** What is wrong with the agent of a Harvester that fetched its registration URL. */
async function onHarvesterAgent(
  setting: LiveObject,
  cluster: Cluster,
  options: RequestOptions,
): Promise<AgentTrouble[]> {
  const { namespace, deployment: name } = CLUSTER_AGENT;
  const deployment = await readable(async () =>
    cluster.read({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, options),
  );
  if (deployment === undefined) {
    return [
      {
        kind: 'missing',
        object: setting,
        message: `there is no Deployment ${namespace}/${name}, although the registration URL was fetched`,
        fix: 'to let Harvester fetch the URL again, remove the annotation harvesterhci.io/hash from the Setting',
      },
    ];
  }
  const pods = await readable(async () =>
    cluster.list(API_VERSIONS.CORE, 'Pod', {
      ...options,
      namespace,
      labelSelector: CLUSTER_AGENT.selector,
    }),
  );
  if (!pods) {
    return [];
  }
  if (pods.length === 0 && deployment) {
    return [
      {
        kind: 'not-running',
        object: deployment,
        message: `Deployment ${namespace}/${name} has no pods`,
        fix: 'see the events of its ReplicaSet: a quota, a policy or an admission webhook keeps them from being created',
      },
    ];
  }
  await readLogs(pods, cluster, true, options);
  return pods.flatMap(podTroubles);
}

/** Agents that trust nothing but the authority of Rancher's setting cacerts, which is empty. */
async function strictWithoutCa(rancher: Cluster, options: RequestOptions): Promise<AgentTrouble[]> {
  const [mode, ca] = await Promise.all(
    ['agent-tls-mode', 'cacerts'].map(async (name) =>
      readable(async () =>
        rancher.read({ apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Setting', name }, options),
      ),
    ),
  );
  if (!mode || !ca || effective(mode) !== AgentTlsMode.STRICT || effective(ca) !== '') {
    return [];
  }
  return [
    {
      kind: 'registration',
      object: mode,
      message:
        'agent-tls-mode of Rancher is strict and its cacerts is empty: agents trust no certificate',
      fix: 'set agent-tls-mode to system-store, or install Rancher with the authority of its certificate',
    },
  ];
}

// undefined where it is not there; null where it may not be read, or cannot be right now
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.failure !== 'aborted') {
      return null;
    }
    throw error;
  }
}

function effective({ value, default: byDefault }: LiveObject): string {
  return filledText(value) ?? filledText(byDefault) ?? '';
}

function managementIdOf(cluster: LiveObject): string {
  return filledText(valueAt(cluster, 'status', 'clusterName')) ?? '';
}
