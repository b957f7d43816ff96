import { checkNodeCloudInit, oemFileOf } from './node-cloud-init.check';
import { checkServed } from '../../core/kind/served';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { perTarget, specOf } from '../context.rules';

const KINDS = ['node.harvesterhci.io/CloudInit'];
const ADMITTER = 'harvester/node-manager:pkg/admitter/cloudinit.go';

const SPEC: Rule = {
  id: 'node-cloud-init/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a CloudInit of nodes has the name of a file that does not belong to Harvester, and its content is a YAML map',
  source: `${ADMITTER}; pkg/mutator/cloudinit.go`,
  *judge(object: JudgedObject): Iterable<Problem> {
    yield* checkServed(object);
    yield* checkNodeCloudInit(specOf(object.manifest));
  },
};

function fileOf(manifest: Manifest): string | undefined {
  const { filename } = specOf(manifest);
  return typeof filename === 'string' && filename !== '' && !isLate(filename) ? oemFileOf(filename) : undefined;
}

const firstByFile = perTarget(GROUPS.HARVESTER_NODE, 'CloudInit', (objects) => {
  const first = new Map<string, string>();
  for (const { manifest } of objects) {
    const file = fileOf(manifest);
    if (file !== undefined && !first.has(file)) { first.set(file, manifest.metadata.name); }
  }
  return first;
});

const FILE: Rule = {
  id: 'node-cloud-init/file-twice',
  level: 'error',
  kinds: KINDS,
  what: 'a file of the nodes belongs to only one CloudInit',
  source: `${ADMITTER} isFilenameTaken`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const file = fileOf(object.manifest);
    const first = file === undefined ? undefined : firstByFile(object, world).get(file);
    if (first !== undefined && first !== object.manifest.metadata.name) {
      yield { path: 'spec.filename', value: file, message: `must be unique, and the CloudInit ${first} has this file`, fix: 'choose a different file name', says: 'filename already in use' };
    }
  },
};

/** Rules on CloudInits of Harvester's nodes. */
export const NODE_CLOUD_INIT_RULES: readonly Rule[] = [SPEC, FILE];
