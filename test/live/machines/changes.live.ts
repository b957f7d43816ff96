import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLab } from './lab';
import { poolCases } from '../../guest/machine-config/_driver-cases';
import { driverChanges } from '../../guest/machine-config/_driver-changes';
import {
  MACHINE_RECORDINGS,
  RecordedAnswer,
  recordedAnswers,
} from '../../support/machine-recordings';

/** Writes what the driver answered instead of comparing it. */
const isRecording = process.env.LIVE_RECORD === '1';

/** What rancher-machine prints before the words of the driver. */
const PREFIX = /^.*(?:flags provided|pre-create check|during machine creation): /;

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
  if (!isRecording) {
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
