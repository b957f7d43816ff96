import { readFileSync } from 'fs';
import { join } from 'path';
import { adopted } from './_found';
import { synthesized } from './_run';
import { factsOf } from '../../src/adopt/read/facts';
import { withoutSecretValues } from '../../src/adopt/read/hidden-secrets';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster, FoundObject } from '../../src/core/draft/draft';
import { Manifest, objectLabel } from '../../src/core/manifest/manifest';

interface Recorded {
  readonly managers: readonly string[];
  readonly object: Manifest;
}

const FILE = join(__dirname, '../recordings/rancher-2.15.0-made-in-the-ui/rancher.json');

/** A Rancher whose objects users made in its UI, with all that Rancher made of them. */
function recordedRancher(): FoundCluster {
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Recorded[];
  const objects = recorded.map(({ managers, object }): FoundObject => {
    const managedFields = managers.map((text) => {
      const [manager, subresource] = text.split('/');
      return { manager, operation: 'Update', ...(subresource ? { subresource } : {}) };
    });
    const metadata = { ...object.metadata, managedFields };
    return {
      target: 'rancher',
      manifest: withoutSecretValues({ ...object, metadata }),
      from: 'context rancher',
    };
  });
  return {
    name: 'rancher',
    kind: TargetKind.RANCHER,
    ...factsOf(TargetKind.RANCHER, objects, 'v1.34.4'),
    objects,
    unread: [],
  };
}

describe('a Rancher whose objects users made in its UI', () => {
  const rancher = recordedRancher();
  const result = adopted([rancher]);
  const left = new Set([...result.leftOut, ...result.unclear].flatMap(({ objects }) => objects));

  test('declares what users made, and nothing that Rancher made of it', () => {
    const declared = rancher.objects
      .map(({ manifest }) => objectLabel(manifest))
      .filter((label) => !left.has(label));
    expect(declared.sort()).toEqual([
      'Cluster fleet-default/edge',
      'Cluster fleet-default/shop',
      'ClusterRoleTemplateBinding c-ggbkw/crtb-r46hqrku4i',
      'GlobalRole gr-sqc8t',
      'GlobalRoleBinding grb-9l5cf',
      'GlobalRoleBinding grb-kdc44',
      'GlobalRoleBinding grb-rhqlp',
      'GlobalRoleBinding grb-sfn4r',
      'HarvesterConfig fleet-default/nc-edge-pool1-j8ws2',
      'HarvesterConfig fleet-default/nc-shop-pool1-pwgt7',
      'HarvesterConfig fleet-default/nc-shop-pool2-4vp49',
      'Project c-ggbkw/p-g8jft',
      'Project c-ggbkw/p-rcvn9',
      'ProjectRoleTemplateBinding c-ggbkw-p-g8jft/prtb-joo6zzyzv5',
      'ProjectRoleTemplateBinding c-ggbkw-p-g8jft/prtb-uh4cotnjqx',
      'ProjectRoleTemplateBinding c-ggbkw-p-g8jft/prtb-zsxnq5xn6m',
      'ProjectRoleTemplateBinding c-ggbkw-p-rcvn9/prtb-gph5hee4cr',
      'ProjectRoleTemplateBinding c-ggbkw-p-rcvn9/prtb-xep3c2y2dc',
      'RoleTemplate rt-4ww65',
      'Setting server-url',
      'User u-5djvx',
      'User u-67rdk',
      'User u-8sklq',
      'User u-vgdtt',
    ]);
  });

  test('has no differences', () => {
    expect(result.differences).toEqual([]);
    expect(result.errors).toEqual([]);
  });

  test('keeps the quantities of quotas as the UI writes them', () => {
    for (const { name } of result.variables) {
      process.env[name] = 'x';
    }
    const projects = synthesized(result.files).filter(({ kind }) => kind === 'Project');
    expect(projects.map(({ metadata: { name }, spec }) => [name, spec])).toMatchObject([
      [
        'p-g8jft',
        {
          resourceQuota: { limit: { limitsCpu: '32000m', limitsMemory: '131072Mi' } },
          namespaceDefaultResourceQuota: { limit: { limitsCpu: '8000m', limitsMemory: '32768Mi' } },
        },
      ],
      ['p-rcvn9', { resourceQuota: { limit: { limitsCpu: '16000m', limitsMemory: '65536Mi' } } }],
    ]);
  });

  test('is one file per project', () => {
    expect([...result.files.keys()].sort()).toEqual([
      'clusters.ts',
      'platform.ts',
      'rancher.ts',
      'tenants/payments.ts',
      'tenants/web.ts',
    ]);
  });
});
