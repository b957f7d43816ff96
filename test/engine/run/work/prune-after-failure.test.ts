import { ApiError } from '../../../../src/engine/transport/api';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial } from '../_running';

const MANAGEMENT = 'management.cattle.io/v3';
const HARVESTER = 'harvesterhci.io/v1beta1';
const VM = 'kubevirt.io/v1';
const ANA = 'prtb-ana';
const IMAGE = 'dc1/harvesterhci.io/VirtualMachineImage/default/noble';

const bindingId = (name: string): string =>
  `rancher/management.cattle.io/ProjectRoleTemplateBinding/c-1-p-1/${name}`;

/** A program with members of a project, and images on a Harvester. */
class Declared extends SmallProgram {
  public constructor() {
    super();
    this.target('rancher', 'rancher').target('dc1', 'harvester');
    this.configMap('stays', 'rancher');
  }

  public member(name: string, user: string, role = 'project-member'): this {
    this.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', `c-1-p-1/${name}`, {
      projectName: 'c-1:p-1',
      roleTemplateName: role,
      userPrincipalName: `local://${user}`,
    });
    return this;
  }

  public image(name: string): this {
    this.object('dc1', HARVESTER, 'VirtualMachineImage', `default/${name}`, {
      spec: { displayName: name, sourceType: 'download', url: `https://example.com/${name}` },
    });
    return this;
  }

  public network(name: string): this {
    this.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', `default/${name}`);
    return this;
  }

  /** A machine on a network. */
  public machine(network: string): this {
    this.object('dc1', VM, 'VirtualMachine', 'default/web', {
      spec: {
        template: {
          spec: { networks: [{ name: 'a', multus: { networkName: `default/${network}` } }] },
        },
      },
    });
    return this;
  }
}

const hasMember = ({ clusters }: Trial, name: string): boolean =>
  clusters.rancher.has(MANAGEMENT, 'ProjectRoleTemplateBinding', name, 'c-1-p-1');

/** Applies a program, then another one of which an object fails. */
async function applied(first: Declared, second: Declared, failing: string) {
  const trial = new Trial(first);
  for (const cluster of Object.values(trial.clusters)) {
    cluster.reactions.push((object) => {
      if (object.kind === 'VirtualMachineImage') {
        Object.assign(object, { status: { conditions: [{ type: 'Imported', status: 'True' }] } });
      }
    });
  }
  await trial.apply();
  trial.declared = second;
  trial.forget();
  for (const cluster of Object.values(trial.clusters)) {
    cluster.fault = ({ verb, what }) =>
      verb !== 'delete' && verb !== 'list' && verb !== 'read' && what.endsWith(failing)
        ? new ApiError('invalid', 'denied the request: no', 403)
        : undefined;
  }
  return { trial, summary: await trial.apply() };
}

test('ends the access of a member although an image fails', async () => {
  const { trial, summary } = await applied(
    new Declared().member(ANA, 'u-ana').member('prtb-ben', 'u-ben').image('noble'),
    new Declared().member('prtb-ben', 'u-ben').image('noble').image('jammy'),
    '/jammy',
  );
  expect(summary.failed.map(({ id }) => id)).toEqual([IMAGE.replace('noble', 'jammy')]);
  expect(hasMember(trial, ANA)).toBe(false);
  expect(summary.pending).toEqual([]);
  expect(await trial.inventory('rancher')).not.toContain(bindingId(ANA));
});

test('ends the access of a member although the binding of another one fails', async () => {
  const { trial } = await applied(
    new Declared().member(ANA, 'u-ana'),
    new Declared().member('prtb-ben', 'u-ben'),
    '/prtb-ben',
  );
  expect(hasMember(trial, ANA)).toBe(false);
});

test('keeps the access of a member whose new binding fails', async () => {
  const { trial, summary } = await applied(
    new Declared().member(ANA, 'u-ana'),
    new Declared().member('prtb-new', 'u-ana', 'read-only'),
    '/prtb-new',
  );
  expect(hasMember(trial, ANA)).toBe(true);
  expect(summary.pending).toEqual([bindingId(ANA)]);
  expect(trial.told).toContain(
    `1 object that is no longer declared is kept, since what is not applied may need it: ${bindingId('prtb-new')}`,
  );
});

test('keeps the network that a machine has on the cluster until it is applied', async () => {
  const { trial, summary } = await applied(
    new Declared().network('old').machine('old').member(ANA, 'u-ana'),
    new Declared().network('new').machine('new'),
    '/web',
  );
  const { dc1 } = trial.clusters;
  expect(dc1.has('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'old', 'default')).toBe(true);
  expect(summary.pending).toEqual(['dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/old']);
  // which has nothing to do with it
  expect(hasMember(trial, ANA)).toBe(false);
});

test('deletes an image although an object of another cluster fails', async () => {
  const { trial } = await applied(
    new Declared().image('noble').member(ANA, 'u-ana'),
    new Declared().member(ANA, 'u-ana').member('prtb-ben', 'u-ben'),
    '/prtb-ben',
  );
  expect(trial.clusters.dc1.has(HARVESTER, 'VirtualMachineImage', 'noble', 'default')).toBe(false);
});

test('deletes nothing more after the first failure with failFast', async () => {
  const trial = new Trial(new Declared().member(ANA, 'u-ana'));
  await trial.apply();
  trial.declared = new Declared().member('prtb-ben', 'u-ben');
  trial.clusters.rancher.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/prtb-ben') ? new ApiError('invalid', 'no', 403) : undefined;
  const { pending } = await trial.apply({ failFast: true });
  expect(pending).toEqual([bindingId(ANA)]);
  expect(hasMember(trial, ANA)).toBe(true);
});
