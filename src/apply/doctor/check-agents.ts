import { Check, Symptom } from './diagnosis';
import { conditionOf, listOf, SeenTarget, textAt } from './live-world';
import { wordsOf } from './words';
import { CONDITION } from '../../model/live-names';
import { LOCAL_CLUSTER } from '../../model/names';
import { podTroubles } from '../agents/agent-pods';
import { AgentTrouble } from '../agents/trouble';

function* troubles(seen: SeenTarget, kind: AgentTrouble['kind']): Iterable<Symptom> {
  for (const pod of [...listOf(seen, 'agent-pods'), ...listOf(seen, 'fleet-pods')]) {
    for (const { message, fix, object = pod } of podTroubles(pod).filter((trouble) => trouble.kind === kind)) {
      yield { object, message: wordsOf(message, object), fix };
    }
  }
}

const IMAGE_PULL: Check = {
  id: 'agent/image-pull',
  level: 'error',
  what: 'the images of Rancher\'s agents can be pulled',
  source: 'Harvester docs, air-gapped environment; rancher/rancher-agent is not in every Harvester ISO',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'image-pull'),
};

const CRASHING: Check = {
  id: 'agent/crashing',
  level: 'error',
  what: 'Rancher\'s agents run',
  source: 'rancher/rancher:pkg/systemtemplate/template.go; field: harvester#2028, #3457, #6049, #7105, #7284',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'not-running'),
};

const UNREACHABLE: Check = {
  id: 'agent/cannot-reach-rancher',
  level: 'error',
  what: 'Rancher\'s agents can resolve, reach and trust Rancher, by the log of one that crashes',
  source: 'rancher/rancher:package/run.sh, cmd/agent/main.go',
  on: ['harvester', 'guest'],
  needs: ['agent-pods'],
  look: (seen) => troubles(seen, 'log'),
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

export const AGENT_CHECKS: readonly Check[] = [IMAGE_PULL, CRASHING, UNREACHABLE, NOT_CONNECTED];
