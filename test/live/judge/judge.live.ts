import { randomInt } from 'crypto';
import { join } from 'path';
import { compare, JUDGED_TARGETS, Summary, summed } from './compare';
import { INSTALLED, managementIds, PREFIX, scenariosOf } from './corpus';
import { fileOf, VerdictRecorder, wholeFileOf } from './recording';
import { IS_WHOLE, JudgeRun } from './run';
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

async function judge(lab: Lab, product: Product): Promise<Outcome> {
  const { cluster, version } = lab.server(product);
  const target = JUDGED_TARGETS[product];
  const run = new JudgeRun(cluster, target, report);
  const driver = DriverJudge.open();
  const recorder = new VerdictRecorder({ [product]: version });
  const whole = new VerdictRecorder({ [product]: version }, 1);
  const summaries: Summary[] = [];
  const left: string[] = [];
  const letters = Array.from({ length: 2 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const { serverUrl } = lab.facts;
  const tokens =
    IS_OWN && serverUrl
      ? new TokenSettings(cluster, serverUrl, `${PREFIX}-${letters}-tokens`)
      : undefined;
  const trials =
    product === 'rancher' ? new Trials(cluster, serverUrl, driver, tokens, report) : undefined;
  const clusterId = product === 'harvester' ? await ownClusterId(cluster) : undefined;
  const prefixes = [`${PREFIX}-${letters}`, managementIds(letters)];
  const stopClusterApi =
    product === 'rancher' ? await standInForClusterApi(lab, prefixes[0]) : undefined;
  await run.begin(INSTALLED[product]);
  try {
    for (const scenario of scenariosOf(product, letters, clusterId)) {
      for await (const judged of run.judge(scenario)) {
        const { differences } = compare(judged, judged.answers, target);
        const doubtful = differences.map(({ change }) => change);
        const tried = (await trials?.of(judged, doubtful)) ?? new Map();
        recorder.add(judged, tried);
        whole.add(judged, tried);
        summaries.push(compare(judged, judged.answers, target, tried));
      }
      report(`${product}: ${scenario.title}: ${textOf(summed(summaries))}`);
      // a run that ends early keeps what it saw
      if (process.env.LIVE_RECORD) {
        recorder.write(join(process.env.LIVE_RECORD, fileOf(product)));
        whole.write(join(process.env.LIVE_RECORD, wholeFileOf(product)));
      }
    }
  } finally {
    await run.end();
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
