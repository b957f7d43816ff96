import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLab } from './lab';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { poolCases } from '../../guest/machine-config/_driver-cases';
import { driverChanges } from '../../guest/machine-config/_driver-changes';
import { judgeOn } from '../../support/judging';
import {
  MACHINE_RECORDINGS,
  RecordedAnswer,
  recordedAnswers,
} from '../../support/machine-recordings';

/** Writes what the driver answered instead of comparing it. */
const isRecording = process.env.LIVE_RECORD === '1';

/** What rancher-machine prints before the words of the driver. */
const PREFIX = /^.*(?:flags provided|pre-create check|during machine creation): /;

/** The refusal of a VirtualMachine by webhooks of KubeVirt or Harvester, where they run. */
const OF_WEBHOOK = /admission webhook "[^"]+" denied the request/;

/** That of the recordings. */
const RANCHER_VERSION = '2.15.0';

const lab = openLab();
const { config: base, cluster, machine } = poolCases().least;
const answers: { [title: string]: RecordedAnswer } = {};

test.each(driverChanges(base))('$title', async ({ title, config }) => {
  const namespace = String(config.vmNamespace || 'default');
  const secret = { namespace, name: `${machine}-cloudinit` };
  const vm = { namespace, name: machine };
  lab.machine.own({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: vm });
  lab.machine.own({ apiVersion: 'v1', kind: 'Secret', metadata: secret });
  await lab.references.addReferences(base);
  // some refer to what no server can have
  await lab.references.addReferences(config).catch(() => undefined);
  await lab.machine.addInstance(namespace, machine).catch(() => undefined);
  const { isDone: isMade, output } = await lab.driver.create(config, cluster, machine);
  const last =
    output
      .split('\n')
      .filter((line) => line !== '')
      .at(-1) ?? '';
  answers[title] = { isMade, ...(isMade ? {} : { says: last.replace(PREFIX, '') }) };
  if (isRecording) {
    // the words of a webhook are not of the driver
    expect(last).not.toMatch(OF_WEBHOOK);
  } else if (OF_WEBHOOK.test(last)) {
    // the driver asked for the machine: then the refusal is an error here, too
    expect(recordedAnswers()[title]).toEqual({ isMade: true });
    const errors = judgeOn(ALL_RULES, [config], { version: RANCHER_VERSION });
    expect(errors.map(({ level }) => level)).toContain('error');
  } else {
    expect(answers[title]).toEqual(recordedAnswers()[title]);
  }
});

afterEach(async () => lab.machine.remove());

afterAll(async () => {
  await lab.references.remove();
  if (isRecording) {
    mkdirSync(MACHINE_RECORDINGS, { recursive: true });
    const text = JSON.stringify(answers, undefined, 2);
    writeFileSync(join(MACHINE_RECORDINGS, 'answers.json'), `${text}\n`);
  }
});
