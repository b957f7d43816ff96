import { cpSync, readdirSync } from 'fs';
import { join } from 'path';
import { NODE_DRIVERS } from './support/node-drivers';
import { tempFolder } from './support/temp';
import { writeAssembly } from './support/written';
import { knownKinds } from '../src/core/shape/shape-node';
import { allGates } from '../src/core/version/feature-gates';
import { lintPaths } from '../src/engine/read/lint';
import { readAssembly } from '../src/engine/read/load-assembly';
import { HarvesterVersion } from '../src/harvester/version/harvester-version';
import {
  EMBEDDED_RANCHER,
  SupportLevel,
  SupportMatrix,
} from '../src/rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../src/rancher/version/rancher-version';

/** The last releases of both products whose source was read. */
const NEWEST = { rancher: '2.15.0', harvester: '1.9.0' } as const;

const EXAMPLES = join(__dirname, '..', 'examples');
const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The committed output of an example, as if its clusters had the newest releases. */
function upgraded(name: string): string {
  const folder = tempFolder();
  cpSync(join(EXAMPLES, name, 'dist'), folder, { recursive: true });
  const { targets, ...assembly } = readAssembly(folder);
  const newest = targets.map((target) => ({
    ...target,
    version: NEWEST[target.kind as keyof typeof NEWEST] ?? target.version,
  }));
  writeAssembly(folder, { ...assembly, targets: newest });
  return folder;
}

test.each(names)('the output of %s is accepted by the newest releases', (name) => {
  const errors = lintPaths([upgraded(name)]).filter(({ level }) => level === 'error');
  expect(
    errors.map(({ rule, object, path, message }) => `${rule} ${object?.name} ${path} ${message}`),
  ).toEqual([]);
});

describe('the newest releases', () => {
  const [rancher, harvester] = [
    RancherVersion.parse(NEWEST.rancher),
    HarvesterVersion.parse(NEWEST.harvester),
  ];

  test('are in the tables', () => {
    expect(SupportMatrix.rancherHarvester(rancher, harvester).level).toBe(SupportLevel.SUPPORTED);
    expect(SupportMatrix.kubernetesOf(rancher)).toEqual(['1.34', '1.36']);
    expect(SupportMatrix.harvesterChartsBundled(harvester)).toMatchObject({
      cloudProvider: '0.2.12',
      csi: '0.1.30',
    });
    expect(EMBEDDED_RANCHER[NEWEST.harvester]).toEqual({
      rancher: NEWEST.rancher,
      agentImage: true,
    });
    expect(NODE_DRIVERS.at(-1)).toEqual(['2.14.0', '1.0.6']);
  });

  test('are known by name in gates and shapes', () => {
    const gates = (id: string): readonly string[] =>
      allGates()
        .filter(({ product }) => product.id === id)
        .flatMap(({ since }) => since);
    const shapes = (id: string): readonly string[] =>
      [...knownKinds().values()]
        .filter(({ product }) => product === id)
        .flatMap(({ versions }) => versions.map(({ from }) => from));
    for (const [id, version] of Object.entries(NEWEST)) {
      expect([id, gates(id).includes(version), shapes(id).includes(version)]).toEqual([
        id,
        true,
        true,
      ]);
    }
  });
});
