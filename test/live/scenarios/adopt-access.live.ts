import { writeFileSync } from 'fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'path';
import { adopt, apply, takeOver } from '../../../src/commands';
import { Manifest } from '../../../src/core/manifest/manifest';
import { API_VERSIONS } from '../../../src/core/manifest/names';
import { TAKE_OVER_FILE, TakeOver, takeOverText } from '../../../src/engine/auth/take-over';
import { refOf } from '../../../src/engine/cluster/cluster';
import { synthesized } from '../../adopt/_run';
import { tempFolder } from '../../support/temp';
import { Question, wrongAnswers } from '../lab/access';
import { Lab, TARGETS } from '../lab/lab';

/** Who made the objects before. */
const THEIRS = 'terraform-provider-rancher2';

/** The labels by which both programs select: the second one leaves a binding out. */
const [LABEL, KEPT] = ['cdk8s-harvester-live', 'cdk8s-harvester-live-kept'];

/** How long Rancher may need for the first binding of a new user. */
const SETTLE_MS = 3_000;

describe('adopt and access', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.open(tempFolder(), ['rancher']);
  });
  afterAll(async () => {
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  /** A user with two global roles that someone else gave. */
  function made(): Manifest[] {
    const [user, kept, removed] = ['ana', 'kept', 'removed'].map((name) => lab.name(name));
    const of = (name: string, labels: object) => ({
      apiVersion: API_VERSIONS.MANAGEMENT,
      metadata: { name, labels: { [LABEL]: lab.prefix, ...labels } },
    });
    const keptToo = { [KEPT]: lab.prefix };
    return [
      { ...of(user, keptToo), kind: 'User', username: user },
      {
        ...of(kept, keptToo),
        kind: 'GlobalRoleBinding',
        globalRoleName: 'features-manage',
        userName: user,
      },
      {
        ...of(removed, {}),
        kind: 'GlobalRoleBinding',
        globalRoleName: 'settings-manage',
        userName: user,
      },
    ] as Manifest[];
  }

  /** Synthesizes a program of what has a label. Returns its output, and what gives permissions. */
  async function adopted(
    label: string,
  ): Promise<{ readonly dist: string; readonly permissions: readonly TakeOver[] }> {
    const dist = tempFolder();
    const result = await adopt({ config: lab.config, select: [`label=${label}=${lab.prefix}`] });
    expect({ differences: result.differences, errors: result.errors }).toEqual({
      differences: [],
      errors: [],
    });
    synthesized(result.files, dist);
    return { dist, permissions: result.takeOver };
  }

  const may = (resource: string, allowed: boolean): Question => ({
    on: 'rancher',
    user: lab.name('ana'),
    verb: 'update',
    group: 'management.cattle.io',
    resource,
    allowed,
  });

  test('adopts the members that someone else added, and the next apply removes one who left', async () => {
    const { cluster } = lab.server('rancher');
    for (const manifest of made()) {
      await cluster.apply(manifest, { fieldManager: THEIRS });
    }
    await sleep(SETTLE_MS);
    expect(await wrongAnswers(lab, [may('features', true), may('settings', true)])).toEqual([]);

    const options = { config: lab.config, app: lab.name('adopt-access') };
    const { dist, permissions } = await adopted(LABEL);
    // the same program, from which someone removed a member
    const { dist: without } = await adopted(KEPT);
    expect(permissions.map(({ id }) => id).sort()).toEqual(
      [
        `GlobalRoleBinding//${lab.name('kept')}`,
        `GlobalRoleBinding//${lab.name('removed')}`,
        `User//${lab.name('ana')}`,
      ].map((id) => `${TARGETS.rancher}/management.cattle.io/${id}`),
    );
    const file = join(tempFolder(), TAKE_OVER_FILE);
    writeFileSync(file, takeOverText(permissions));
    const { summary, next } = await takeOver(dist, file, options);
    expect(summary.failed).toEqual([]);
    expect(next?.plan.steps.filter(({ action }) => action !== 'unchanged')).toEqual([]);
    expect(await wrongAnswers(lab, [may('features', true), may('settings', true)])).toEqual([]);

    const { failed } = await apply(without, options);
    expect(failed).toEqual([]);
    expect(await cluster.read(refOf(made()[2]))).toBeUndefined();
    expect(await wrongAnswers(lab, [may('features', true), may('settings', false)])).toEqual([]);
  });
});
