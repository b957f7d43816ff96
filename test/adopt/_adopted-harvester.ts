import { Adopted, adopt } from '../../src/adopt/adopt';
import { programFiles } from '../../src/adopt/print/program';
import { leaveOut } from '../../src/adopt/select/leave-out';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster } from '../../src/core/draft/draft';
import { Manifest } from '../../src/core/manifest/manifest';

/** What adopting a Harvester made of its objects. */
export interface AdoptedHarvester {
  readonly adopted: Adopted;
  readonly text: string;
  /** JSON patches by the ID of their construct. */
  readonly patches: { readonly [id: string]: readonly string[] };
  /** The objects that no construct declares, as `Kind name`. */
  readonly plain: readonly string[];
}

/** Adopts the objects of a Harvester without differences and errors. */
export function adoptedFrom(manifests: readonly Manifest[], version = '1.8.2'): AdoptedHarvester {
  const all = manifests.map((manifest) => ({ target: 'dc1', manifest, from: 'a test' }));
  const cluster: FoundCluster = {
    name: 'dc1',
    kind: TargetKind.HARVESTER,
    version,
    vip: '10.10.0.10',
    unread: [],
    objects: all,
  };
  const clusters = [
    { ...cluster, objects: all.filter((object) => leaveOut(object, cluster) === undefined) },
  ];
  const adopted = adopt(clusters);
  expect({ errors: adopted.errors, differences: [...adopted.differences] }).toEqual({
    errors: [],
    differences: [],
  });
  const patched = adopted.statements.all().filter(({ patches }) => patches.length > 0);
  return {
    adopted,
    plain: adopted.statements
      .all()
      .filter(({ draft }) => draft.type === 'ApiObject')
      .map(
        ({
          draft: {
            declares: [
              {
                manifest: {
                  kind,
                  metadata: { name },
                },
              },
            ],
          },
        }) => `${kind} ${name}`,
      ),
    text: programFiles(clusters, adopted).get('dc1.ts')!,
    patches: Object.fromEntries(
      patched.map(({ id, patches }) => [id, patches.map(({ op, path }) => `${op} ${path}`)]),
    ),
  };
}
