import { randomInt } from 'crypto';
import { join } from 'path';
import { compare, JUDGED_TARGETS, Summary, summed } from './compare';
import { INSTALLED, managementIds, PREFIX, scenariosOf } from './corpus';
import { fileOf, VerdictRecorder, wholeFileOf } from './recording';
import { isAnyChosen, IS_WHOLE, JudgeRun } from './run';
import { DriverJudge } from './trials/driver';
import { TokenSettings } from './trials/token-settings';
import { Trials } from './trials/trials';
import { API_VERSIONS, SETTING_REGISTRATION_URL } from '../../../src/core/manifest/names';
import { readSetting } from '../../../src/engine/auth/identity';
import { Cluster } from '../../../src/engine/cluster/cluster';
import { registeredBy } from '../../../src/harvester/settings/catalogue/registration.facts';
import { tempFolder } from '../../support/temp';
import { standInForClusterApi } from '../families/guests';
import { Product, PRODUCTS } from '../lab/kubeconfigs';
import { Lab } from '../lab/lab';
import { Leftovers } from '../lab/leftovers';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The products whose servers are judged, e.g. `harvester`. */
const CHOSEN = PRODUCTS.filter((product) => (process.env.LIVE_JUDGE ?? '').includes(product));

/** Changes of a product at least, of which lint and the server agree or have a reason. */
const ENOUGH = 10_000;

/** How long a whole run may take on a busy machine. */
const MOST_MS = 3 * 3_600_000;

/** Whether no one else uses the servers, so that settings can be other ones for a moment. */
const IS_OWN = process.env.LIVE_OWN === '1';

function report(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The management cluster ID that a registered Harvester has. */
async function ownClusterId(cluster: Cluster): Promise<string | undefined> {
  const url = await readSetting(cluster, API_VERSIONS.HARVESTER, SETTING_REGISTRATION_URL);
  return registeredBy(url)?.clusterId;
}

function textOf({ total, agree, settled, differences }: Summary): string {
  const silent = differences.filter(({ side }) => side === 'server').length;
  return (
    `${total} changes, ${agree} agree, ${settled} more when they were tried; ` +
    `lint alone refuses ${differences.length - silent}, the server alone ${silent}`
  );
}

/** What lint and a server agree on, and what the run left on the server. */
interface Outcome extends Summary {
  readonly left: readonly string[];
}

/** How many scenarios are judged at a time: those of a Harvester share its networks and addresses. */
const SCENARIOS_AT_ONCE: { readonly [product in Product]: number } = { rancher: 4, harvester: 1 };

async function judge(lab: Lab, product: Product): Promise<Outcome> {
  const { cluster, version } = lab.server(product);
  const target = JUDGED_TARGETS[product];
  const letters = Array.from({ length: 2 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const { serverUrl } = lab.facts;
  const driver = DriverJudge.open();
  const tokens =
    IS_OWN && serverUrl
      ? new TokenSettings(cluster, serverUrl, `${PREFIX}-${letters}-tokens`)
      : undefined;
  const clusterId = product === 'harvester' ? await ownClusterId(cluster) : undefined;
  const prefixes = [`${PREFIX}-${letters}`, managementIds(letters)];
  const scenarios = scenariosOf(product, letters, clusterId);
  const titles = scenarios.map(({ title }) => title);
  const recorder = new VerdictRecorder({ [product]: version }, titles);
  const whole = new VerdictRecorder({ [product]: version }, titles, 1);
  const summaries: Summary[] = [];
  const left: string[] = [];
  const next = scenarios.entries();

  /** Judges one scenario after another, until none is left. */
  const judgeScenarios = async (): Promise<void> => {
    const run = new JudgeRun(cluster, target, report);
    const trials =
      product === 'rancher' ? new Trials(cluster, serverUrl, driver, tokens, report) : undefined;
    await run.begin(INSTALLED[product]);
    try {
      for (const [index, scenario] of next) {
        if (!isAnyChosen(scenario)) {
          continue;
        }
        const known = scenarios.slice(0, index).flatMap(({ objects }) => objects);
        for await (const judged of run.judge(scenario, known)) {
          const { differences } = compare(judged, judged.answers, target);
          const doubtful = differences.map(({ change }) => change);
          const tried = (await trials?.of(judged, doubtful)) ?? new Map();
          recorder.add(judged, tried);
          whole.add(judged, tried);
          summaries.push(compare(judged, judged.answers, target, tried));
        }
        report(`${product}: after ${scenario.title}: ${textOf(summed(summaries))}`);
        // a run that ends early keeps what it saw
        if (process.env.LIVE_RECORD) {
          recorder.write(join(process.env.LIVE_RECORD, fileOf(product)));
          whole.write(join(process.env.LIVE_RECORD, wholeFileOf(product)));
        }
      }
    } finally {
      await run.end();
    }
  };

  const stopClusterApi =
    product === 'rancher' ? await standInForClusterApi(lab, prefixes[0]) : undefined;
  try {
    const ends = await Promise.allSettled(
      Array.from({ length: SCENARIOS_AT_ONCE[product] }, async () => judgeScenarios()),
    );
    ends.forEach((end) => {
      if (end.status === 'rejected') {
        throw end.reason;
      }
    });
  } finally {
    await driver?.end();
    await tokens?.end();
    for (const prefix of prefixes) {
      left.push(...(await new Leftovers(cluster, prefix).remove()));
    }
    stopClusterApi?.();
  }
  return { ...summed(summaries), left };
}

test.each(CHOSEN)(
  'lint and %s agree on changed objects, apart from changes with a reason',
  async (product) => {
    const lab = await Lab.open(tempFolder(), [product]);
    try {
      const outcome = await judge(lab, product);
      const { total, differences, left } = outcome;
      report(`${product}: ${textOf(outcome)}`);
      expect(differences.filter(({ reason }) => reason === undefined)).toEqual([]);
      expect(total).toBeGreaterThan(IS_WHOLE ? ENOUGH : 0);
      expect(left).toEqual([]);
    } finally {
      lab.close();
    }
  },
  MOST_MS,
);
