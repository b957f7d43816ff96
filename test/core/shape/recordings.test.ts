import * as fs from 'node:fs';
import * as path from 'node:path';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { SHAPE_RULES } from '../../../src/core/shape/shape.rules';

interface Recorded {
  readonly applied: Manifest;
  readonly answers: readonly { readonly status: number }[];
  readonly states: readonly { readonly object: Manifest }[];
}

const FOLDER = path.resolve(__dirname, '..', '..', 'recordings');
const FILES = fs.readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** What running servers took and answered with, which therefore has the structure of the definitions. */
test.each(FILES)('nothing is found in what running servers accepted and answered: %s', (file) => {
  const { objects } = JSON.parse(fs.readFileSync(path.join(FOLDER, file), 'utf8')) as { objects: readonly Recorded[] };
  const target = file.startsWith('rancher-')
    ? { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' } as const
    : { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' } as const;
  const accepted = objects.filter(({ answers }) => answers.at(-1)!.status < 300);
  // of an object that is gone nothing but that is recorded
  const manifests = accepted.flatMap(({ applied, states }) => [applied, ...states.map(({ object }) => object)])
    .filter(({ kind }) => kind !== undefined);
  expect(manifests.length).toBeGreaterThan(1);
  for (const manifest of manifests) { expect(judge(SHAPE_RULES, new World([{ manifest, target }]))).toEqual([]); }
});
