import { Check, Symptom } from './diagnosis';
import { conditionOf, listOf, SeenTarget, textAt } from './live-world';
import { wordsOf } from './words';
import { CONDITION, IMAGE_PROBLEMS } from '../../model/live-names';
import { isRecord, valueAt } from '../../model/manifest';
import { LOCAL_CLUSTER } from '../../model/names';
import { LiveObject } from '../cluster/cluster';

/** A container that waits. */
interface Waiting {
  readonly name: string;
  readonly image: string;
  readonly reason: string;
  readonly message: string;
  /** Why it ended last. */
  readonly last: string;
}

function pods(seen: SeenTarget): LiveObject[] {
  return [...listOf(seen, 'agent-pods'), ...listOf(seen, 'fleet-pods')].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function waitingIn(pod: LiveObject): Waiting[] {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((key) => { const list = valueAt(pod, 'status', key); return Array.isArray(list) ? list : []; });
  return statuses.filter((status) => isRecord(valueAt(status, 'state', 'waiting'))).map((status) => ({
    name: textAt(status, 'name'),
    image: textAt(status, 'image'),
    reason: textAt(status, 'state', 'waiting', 'reason'),
    message: textAt(status, 'state', 'waiting', 'message'),
    last: [textAt(status, 'lastState', 'terminated', 'reason'), textAt(status, 'lastState', 'terminated', 'message')].filter((text) => text !== '').join(': '),
  }));
}

const IMAGE_PULL: Check = {
  id: 'agent/image-pull',
  level: 'error',
  what: 'the images of Rancher\'s agents can be pulled',
  source: 'Harvester docs, air-gapped environment; rancher/rancher-agent is not in every Harvester ISO',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of pods(seen)) {
      for (const { image, reason, message } of waitingIn(object).filter((waiting) => IMAGE_PROBLEMS.includes(waiting.reason))) {
        yield {
          object,
          message: `${reason}: the image ${image} does not come${message === '' ? '' : ` (${wordsOf(message, object)})`}`,
          fix: `bring ${image} to the cluster: a mirror in the setting containerd-registry, a private registry in Rancher's system-default-registry, or import it on each node `
            + '(`cdk8s-harvester images` lists what is needed); then delete the pod, a new one pulls at once',
        };
      }
    }
  },
};

const CRASHING: Check = {
  id: 'agent/crashing',
  level: 'error',
  what: 'Rancher\'s agents run',
  source: 'rancher/rancher:pkg/systemtemplate/template.go; field: harvester#2028, #3457, #6049, #7105, #7284',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of pods(seen)) {
      for (const { name, reason, message, last } of waitingIn(object).filter((waiting) => /^(CrashLoopBackOff|RunContainerError|CreateContainer\w*Error)$/.test(waiting.reason))) {
        const words = last || message;
        yield {
          object,
          message: `${reason}: container ${name}${words === '' ? '' : ` (${wordsOf(words, object)})`}`,
          fix: 'see its log (kubectl logs --previous); often Rancher\'s server-url can\'t be resolved or reached from there, its certificate is not trusted '
            + '(agent-tls-mode, additional-ca), or noProxy of http-proxy lacks its host',
        };
      }
      const scheduled = conditionOf(object, 'PodScheduled');
      if (scheduled?.status === 'False') {
        yield { object, message: `can't be placed on a node: ${wordsOf(scheduled.message, object)}`, fix: 'make room, or change the agent\'s tolerations and affinity in the program' };
      }
    }
  },
};

const NOT_CONNECTED: Check = {
  id: 'cluster/not-connected',
  level: 'error',
  what: 'Rancher is connected to its clusters',
  source: 'rancher/rancher:pkg/controllers/managementuser/clusterconnected',
  on: ['rancher'],
  needs: ['management-clusters'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'management-clusters')) {
      const connected = conditionOf(object, CONDITION.CONNECTED);
      if (object.metadata.name === LOCAL_CLUSTER || object.metadata.deletionTimestamp !== undefined || connected?.status === 'True') { continue; }
      const name = textAt(object, 'spec', 'displayName');
      yield {
        object,
        // one that never was may be on its way
        level: connected ? 'error' : 'warning',
        message: `${name === '' ? 'the cluster' : name} ${connected ? 'has lost its connection' : 'has never connected'}${connected?.message ? `: ${wordsOf(connected.message, object)}` : ''}`,
        fix: 'look at the pods of cattle-cluster-agent there (bind the cluster as a target, and doctor does); check that server-url can be reached from it, and agent-tls-mode',
      };
    }
  },
};

export const AGENT_CHECKS: readonly Check[] = [IMAGE_PULL, CRASHING, NOT_CONNECTED];
