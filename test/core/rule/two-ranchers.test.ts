import { Manifest } from '../../../src/core/manifest/manifest';
import { Finding } from '../../../src/core/rule/finding';
import { judgeAll } from '../../../src/core/rule/judge-all';
import { JudgedObject, JudgedTarget } from '../../../src/core/rule/rule';
import { readInput } from '../../../src/engine/read/read-input';
import { COMMITTED_OUTPUTS } from '../../support/committed-outputs';

const OTHER = 'other-';

/** The host of a Rancher, in any text. */
const HOST = /(?<=\/\/)(rancher[\w.-]*)/g;

/** The same target of a platform with the same names below another Rancher. */
function otherTarget(target: JudgedTarget): JudgedTarget {
  const given = { ...target, serverUrl: target.serverUrl && otherHosts(target.serverUrl) };
  const renamed = Object.entries(given).map(([key, value]) =>
    ['name', 'managedAs', 'managedBy', 'rancher', 'harvester'].includes(key) && value !== undefined
      ? [key, `${OTHER}${value as string}`]
      : [key, value as string],
  );
  return Object.fromEntries(renamed) as JudgedTarget;
}

const otherHosts = (text: string): string => text.replace(HOST, `${OTHER}$1`);

/** A copy of a platform below another Rancher. */
function otherPlatform(objects: readonly JudgedObject[]): JudgedObject[] {
  const targets = new Map(objects.map(({ target }) => [target.name, otherTarget(target)]));
  return objects.map((object) => ({
    ...object,
    manifest: JSON.parse(otherHosts(JSON.stringify(object.manifest))) as Manifest,
    target: targets.get(object.target.name)!,
  }));
}

/** Findings without the name of the platform that they are about. */
const textsOf = (findings: readonly Finding[]): string[] =>
  findings.map((finding) => JSON.stringify(finding).split(OTHER).join('')).sort();

const OUTPUTS = Object.entries(COMMITTED_OUTPUTS);

test.each(OUTPUTS)('%s twice, under two Ranchers, has the findings of one, twice', (_, output) => {
  const { objects } = readInput([output], {});
  const alone = judgeAll(objects);
  const both = judgeAll([...objects, ...otherPlatform(objects)]);
  expect(textsOf(both)).toEqual(textsOf([...alone, ...alone]));
});
