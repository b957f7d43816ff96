import { mkdirSync, cpSync } from 'fs';
import { join } from 'path';
import { Delivery, Edges, EdgeType, Finding, HarvesterApp, HarvesterChart, HarvesterImport, Principal, ProjectMember, RancherChart, Retention, RoleTemplate, RoleTemplateContext, TenantProject } from '../../../src';
import { runCli } from '../../support/run-cli';
import { outdir } from '../_platform';

interface Change {
  /** Whether the project waits for a chain of roles, which puts it into a later stage. */
  readonly isLater?: boolean;
  readonly retains?: boolean;
  readonly accepts?: boolean;
}

/** A tenant, delivered from a folder; the findings of the comparison with what was there, or the error. */
function synth(
  folder: string, delivery: Delivery, { isLater = false, retains = false, accepts = false }: Change = {},
): { readonly findings: Finding[]; readonly error: string } {
  const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery });
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const role = (name: string, ...inheritsFrom: RoleTemplate[]): RoleTemplate => new RoleTemplate(rancher, name, {
    context: RoleTemplateContext.PROJECT, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }], inheritsFrom,
  });
  const derived = role('b', role('a'));
  const project = new TenantProject(rancher, 'payments', { cluster, members: [ProjectMember.owner(Principal.user('okta_user://ana'))] });
  if (isLater) { Edges.of(project).after(derived, EdgeType.APPLIED); }
  if (retains) { Retention.of(project).retain(); }
  if (accepts) { app.acceptRemoval('rancher/*', 'the tenant knows'); }
  let error = '';
  try { app.synth(); } catch (thrown) { error = (thrown as Error).message; }
  return { findings: app.findings.filter(({ rule }) => rule === 'output/moves-stage'), error };
}

const flux = Delivery.flux({ repository: 'platform' });
const seen = ({ findings }: { readonly findings: readonly Finding[] }): string[] => findings.map(({ level, suppressed, object }) => `${suppressed ? 'accepted' : level} ${object!.kind}`);

test.each([['Flux', flux], ['Fleet', Delivery.fleet({ repo: 'https://git.example.com/platform.git' })]])(
  'reports that %s deletes an object which moves to another stage, and refuses that for tenants', (_, delivery) => {
    const folder = outdir();
    expect(synth(folder, delivery).error).toBe('');
    const moved = synth(folder, delivery, { isLater: true });
    expect(seen(moved).sort()).toEqual(['error Project', 'warning ProjectRoleTemplateBinding']);
    expect(moved.findings.find(({ level }) => level === 'error')).toMatchObject({
      target: 'rancher', message: 'Project c-m-juop4lu7/payments moves from stage rancher-2 to rancher-3: the engine deletes it, with its members and quotas, and creates it again',
    });
    expect(seen(synth(folder, delivery, { isLater: true, accepts: true })).sort()).toEqual(['accepted Project', 'accepted ProjectRoleTemplateBinding']);
  });

test('accepts the move of an object that was retained before', () => {
  const folder = outdir();
  synth(folder, flux, { retains: true });
  expect(synth(folder, flux, { retains: true, isLater: true })).toEqual({ findings: [], error: '' });
});

test('accepts all moves for Argo CD, which prunes a target as a whole', () => {
  const argo = Delivery.argoCd({ repoUrl: 'https://git.example.com/platform.git' });
  const folder = outdir();
  synth(folder, argo);
  expect(synth(folder, argo, { isLater: true })).toEqual({ findings: [], error: '' });
});

test('reports it in lint --before', async () => {
  const [before, after] = [outdir(), outdir()];
  synth(before, flux);
  mkdirSync(join(after, 'copy'));
  synth(join(after, 'dist'), flux, { isLater: true });
  cpSync(before, join(after, 'copy'), { recursive: true });
  const { stdout, exitCode } = await runCli('lint', join(after, 'dist'), '--before', join(after, 'copy'));
  expect(stdout).toContain('moves from stage rancher-2 to rancher-3');
  expect(exitCode).toBe(1);
});
