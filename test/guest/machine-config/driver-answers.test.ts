import { poolCases } from './_driver-cases';
import { driverChanges } from './_driver-changes';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { judgeOn } from '../../support/judging';
import { recordedAnswers } from '../../support/machine-recordings';

/** What the driver makes of a HarvesterConfig although it is an error here, with the reason. */
const MADE_ALTHOUGH_WRONG: { readonly [reason: string]: readonly RegExp[] } = {
  'KubeVirt or Harvester refuse the VirtualMachine': [
    /^cpuCount: "-1"/,
    /^memorySize: "(0|-1)"/,
    /^reservedMemorySize: "(8192|9000)"/,
    /^diskInfo: .*"bootOrder":1.*"bootOrder":1/,
    /^diskInfo: .*"bus":"ide"/,
    /"diskBus": "x"|diskBus: "x"/,
    /^networkInfo: .*"macAddress":"x"/,
    /^networkInfo: .*"networkName":"\/prod"/,
    /^networkInfo: .*"model":"x"/,
    /networkModel: "x"/,
    /^networkInfo: .*"type":"(masquerade|x)"/,
    /^vgpuInfo: "\{"vGPURequests":\[\{\}\]\}"/,
    /^vmAffinity: .*\{"weight":5\}/,
    /^isolateEmulatorThread: true/,
  ],
  'the machine has no disk, or no address': [
    /^diskInfo: "(\{\}|null|\{"disks":(null|\[\])\})"/,
    /^networkInfo: "(\{\}|null|\{"interfaces":(null|\[\])\})"/,
  ],
  'the number is another one than it looks like': [
    /^(cpuCount|memorySize|reservedMemorySize|sshPort): "(0x10|010|1_0)"/,
  ],
  'the driver or cloud-init drops a part': [
    /^userData: "#cloud-config\\npackages: (a|\{a: b\})\\n"/,
    /^userData: "#cloud-config\\nssh_authorized_keys: (a|\{a: b\})\\n"/,
    /^userData: "#cloud-config\\npackages: \[a\]\\npackages: \[b\]\\n"/,
    /^userData: "IyEvYmluL3NoCg=="/,
  ],
};

/** What the driver refuses for a reason that may be only of the moment: the object may come. A warning reports it. */
const ONLY_WARNED = [/Ubuntu 24\.04/, /Long Horn/];

const isAmong = (patterns: readonly RegExp[], title: string): boolean => {
  const plain = title.replace(/\\"/g, '"');
  return patterns.some((pattern) => pattern.test(plain));
};

const ANSWERS = recordedAnswers();
const ROWS = driverChanges(poolCases().least.config).map(({ title, config }) => ({
  title,
  config,
  answer: ANSWERS[title],
}));

const errorsOf = (config: (typeof ROWS)[number]['config']) =>
  judgeOn(ALL_RULES, [config], { version: '2.15.0' }).filter(({ level }) => level === 'error');

describe("what Rancher's node driver answers to a changed HarvesterConfig", () => {
  test('is recorded for every change', () => {
    expect(ROWS.map(({ title }) => title).sort()).toEqual(Object.keys(ANSWERS).sort());
  });

  const refused = ROWS.filter(({ answer }) => !answer?.isMade);
  test.each(refused)('$title: refused, and an error here', ({ title, config }) => {
    const isWarned = isAmong(ONLY_WARNED, title);
    expect(errorsOf(config).length > 0).toBe(!isWarned);
  });

  const made = ROWS.filter(({ answer }) => answer?.isMade);
  test.each(made)('$title: made, and an error here only for a reason', ({ title, config }) => {
    const isWrong = isAmong(Object.values(MADE_ALTHOUGH_WRONG).flat(), title);
    expect(errorsOf(config).length > 0).toBe(isWrong);
  });

  /** Those whose first error is of what comes after the driver, or describes it in general words. */
  const otherWords = [/"weight":"5"/, /^userData: "null"/, /^sshPrivateKeyPath: "\/etc/];

  test.each(refused.filter(({ title }) => !isAmong(otherWords, title)))(
    "$title: an error quotes the driver's own words",
    ({ config, answer }) => {
      const quotes = errorsOf(config).flatMap(
        ({ message }) => /\(the server: "([\s\S]*)"\)/.exec(message)?.[1].trimEnd() ?? [],
      );
      const says = String(answer.says).replace(/\\"/g, '"');
      const isQuoted = quotes.some((quote) => says.includes(quote));
      // a crash prints nothing
      expect(quotes.length === 0 || says === 'unexpected EOF' || isQuoted).toBe(true);
    },
  );
});
