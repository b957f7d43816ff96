import { Retention } from '../../../src/core/program/retention';
import { SecretValue } from '../../../src/core/value/secret-value';
import { Delivery } from '../../../src/delivery/delivery';
import { readEdits } from '../../../src/engine/read/compared-input';
import { lintPaths } from '../../../src/engine/read/lint';
import { GithubAuthConfig } from '../../../src/rancher/auth/hosted-auth-config';
import { RancherFeature } from '../../../src/rancher/settings/rancher-feature';
import { impactsOfEdits } from '../../../src/report/impact/edit-impacts';
import { newApp, newRancher } from '../../support/programs';

beforeAll(() => {
  process.env.GITHUB_SECRET = 'example-secret';
});

interface Options {
  readonly isDelivered?: boolean;
  readonly isEnabled?: boolean;
  readonly isRetained?: boolean;
}

/** The output of a program, with a provider or without one. */
function outputOf(hasProvider: boolean, { isDelivered, isEnabled, isRetained }: Options): string {
  const repository = 'https://git.example.com/platform.git';
  const app = newApp(
    isDelivered ? { delivery: Delivery.argoCd({ repository, revision: 'main' }) } : {},
  );
  const rancher = newRancher(app, '2.15.0');
  new RancherFeature(rancher, 'fleet', { enabled: true });
  if (hasProvider) {
    const config = new GithubAuthConfig(rancher, 'github', {
      clientId: 'example',
      clientSecret: SecretValue.fromEnv('GITHUB_SECRET'),
      enabled: isEnabled,
    });
    new RancherFeature(rancher, 'legacy', { enabled: false });
    if (isRetained) {
      Retention.of(config).retain();
    }
  }
  app.synth();
  return app.outdir;
}

/** What the commands print of the provider when it leaves the program. */
function saidOf(options: Options): string[] {
  const before = [outputOf(true, options)];
  const after = [outputOf(false, options)];
  const findings = lintPaths(after, { before }).filter(
    ({ object }) => object?.kind === 'AuthConfig',
  );
  return [
    ...findings.map(({ rule, level, message }) => `${level} ${rule} ${message}`),
    ...impactsOfEdits(readEdits(after, before, {})).map(({ effect, object, what }) =>
      [effect, object, what].join(' '),
    ),
  ];
}

test('reports by lint and impact that apply disables a provider that leaves the program', () => {
  expect(saidOf({})).toEqual([
    expect.stringMatching(/^warning auth-config\/removed .*locks out all users/),
    expect.stringMatching(/^warning output\/gone /),
    expect.stringMatching(/^delete AuthConfig github is no longer declared: .*is disabled/),
  ]);
});

test('is an error where an engine delivers, which leaves the provider enabled', () => {
  expect(saidOf({ isDelivered: true })).toEqual([
    expect.stringMatching(
      /^error output\/gone .*still gives access \(engines cannot disable it, so users can still log in/,
    ),
    expect.stringMatching(/^kept AuthConfig github .*users can still log in/),
  ]);
});

test.each([{ isDelivered: true }, {}])(
  'is a warning for a provider that is off, or that the program retains',
  (how) => {
    const levels = (options: Options): string[] =>
      saidOf({ ...how, ...options }).map((text) => text.split(' ')[0]!);
    expect(levels({ isEnabled: false })).toEqual(['warning']);
    expect(levels({ isRetained: true }).filter((level) => level === 'error')).toEqual([]);
  },
);

test('reports a feature that gets its default again', () => {
  const before = [outputOf(true, {})];
  const rules = lintPaths([outputOf(false, {})], { before }).map(({ rule }) => rule);
  expect(rules).toContain('rancher-feature/removed');
});
