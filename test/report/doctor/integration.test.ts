import { Live, nodeDriver, setting, uiExtension } from './_live';

const CHECKS = ['ui-extension/missing', 'node-driver/inactive'];
const found = async (live: Live): Promise<string[]> =>
  (await live.diagnose())
    .filter(({ check }) => CHECKS.includes(check))
    .map(({ level, check, message }) => `${level} ${check} ${message}`);

function forget({ rancher: { objects } }: Live, kind: string): void {
  for (const [key, object] of objects) {
    if (object.kind === kind) {
      objects.delete(key);
    }
  }
}

test('finds nothing where both are there', async () => {
  expect(await found(new Live())).toEqual([]);
});

test("reports a Rancher without Harvester's UI extension, from the version that needs one", async () => {
  const live = new Live();
  forget(live, 'UIPlugin');
  expect(await found(live)).toEqual([
    expect.stringContaining(
      "warning ui-extension/missing Harvester's UI extension is not installed",
    ),
  ]);
  live.rancher.seed(setting('management.cattle.io/v3', 'server-version', 'v2.9.4'));
  expect(await found(live)).toEqual([]);
});

test('reports an extension whose files Rancher cannot download', async () => {
  const live = new Live();
  live.rancher.seed(
    uiExtension({ cacheState: 'pending', ready: false, error: 'Failed to cache plugin' }),
  );
  expect(await found(live)).toEqual([
    'warning ui-extension/missing its files are not downloaded: Failed to cache plugin',
  ]);
});

test('reports an inactive node driver, and none where Rancher did not create it yet', async () => {
  const live = new Live();
  live.rancher.seed(nodeDriver(false));
  expect(await found(live)).toEqual([
    expect.stringContaining('error node-driver/inactive the node driver harvester is inactive'),
  ]);
  forget(live, 'NodeDriver');
  expect(await found(live)).toEqual([]);
});
