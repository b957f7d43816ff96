import { troubleInLog } from './agent-log';
import { AgentTrouble } from './trouble';
import { IMAGE_PROBLEMS } from '../../model/live-names';
import { isRecord, valueAt } from '../../model/manifest';
import { Cluster, LiveObject, RequestOptions } from '../cluster/cluster';
import { conditionOf } from '../ready/conditions';
import { ApiError } from '../transport/api';

/** A container that waits. */
interface Waiting {
  readonly name: string;
  readonly image: string;
  readonly reason: string;
  readonly message: string;
  /** Why it ended last. */
  readonly last: string;
}

/** As much of a log as holds the reason why an agent ended or does not connect. */
const LOG_LINES = 60;

const LOGS = new WeakMap<LiveObject, string>();

const CRASHES = /^(CrashLoopBackOff|RunContainerError|CreateContainer\w*Error)$/;

/**
 * Reads the logs of agents that are in trouble, for `podTroubles`. Where they may not be read, nothing is known of them.
 *
 * @param all whether those that run are asked too: they may be unable to connect
 */
export async function readLogs(pods: readonly LiveObject[], cluster: Cluster, all: boolean, { signal }: RequestOptions = {}): Promise<void> {
  await Promise.all(pods.map(async (pod) => {
    const crashes = waitingIn(pod).some(({ reason }) => CRASHES.test(reason));
    const runs = valueAt(pod, 'status', 'phase') === 'Running';
    if (!crashes && !(all && runs)) { return; }
    const { namespace = '', name } = pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=${LOG_LINES}${crashes ? '&previous=true' : ''}`;
    try {
      const log: unknown = await cluster.get(path, { signal });
      if (typeof log === 'string') { LOGS.set(pod, log); }
    } catch (error) {
      if (!(error instanceof ApiError) || error.failure === 'aborted') { throw error; }
    }
  }));
}

/** What keeps an agent from running, or from reaching Rancher. */
export function podTroubles(pod: LiveObject): AgentTrouble[] {
  if (pod.metadata.deletionTimestamp !== undefined) { return []; }
  const found: AgentTrouble[] = [];
  const log = troubleInLog(LOGS.get(pod) ?? '');
  if (log) { found.push({ kind: 'log', object: pod, ...log }); }
  for (const { name, image, reason, message, last } of waitingIn(pod)) {
    if (IMAGE_PROBLEMS.includes(reason)) {
      found.push({
        kind: 'image-pull',
        object: pod,
        message: `${reason}: the image ${image} does not come${message === '' ? '' : ` (${message})`}`,
        fix: `bring ${image} to the cluster: a mirror in the setting containerd-registry, a private registry in Rancher's system-default-registry, or import it on each node `
          + '(`cdk8s-harvester images` lists what is needed); then delete the pod, a new one pulls at once',
      });
    }
    if (CRASHES.test(reason)) {
      const words = last || message;
      found.push({
        kind: 'not-running',
        object: pod,
        message: `${reason}: container ${name}${words === '' ? '' : ` (${words})`}`,
        fix: 'see its log (kubectl logs --previous); often Rancher\'s server-url can\'t be resolved or reached from there, its certificate is not trusted '
          + '(agent-tls-mode, additional-ca), or noProxy of http-proxy lacks its host',
      });
    }
  }
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') {
    found.push({
      kind: 'not-running', object: pod, message: `can't be placed on a node: ${scheduled.message ?? ''}`, fix: 'make room, or change the agent\'s tolerations and affinity in the program',
    });
  }
  return found;
}

function waitingIn(pod: LiveObject): Waiting[] {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((key): unknown[] => {
    const list = valueAt(pod, 'status', key);
    return Array.isArray(list) ? list : [];
  });
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return statuses.filter((status) => isRecord(valueAt(status, 'state', 'waiting'))).map((status) => ({
    name: text(valueAt(status, 'name')),
    image: text(valueAt(status, 'image')),
    reason: text(valueAt(status, 'state', 'waiting', 'reason')),
    message: text(valueAt(status, 'state', 'waiting', 'message')),
    last: ['reason', 'message'].map((key) => text(valueAt(status, 'lastState', 'terminated', key))).filter((each) => each !== '').join(': '),
  }));
}
