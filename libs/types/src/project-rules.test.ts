import { checkCreateProjectRequest, checkUpdateProjectRequest } from './project';

const idLike = '0190a4c2-7b5e-7000-8000-000000000000';

describe('checkCreateProjectRequest', () => {
  it('refuses a name in the form of an id', () => {
    const project = { appName: 'A', orgId: 'o' };
    expect(checkCreateProjectRequest({ ...project, name: `${idLike}0` })).toEqual([]);
    expect(checkCreateProjectRequest({ ...project, name: idLike.toUpperCase() })).toMatchObject([{ name: 'name' }]);
  });
});

describe('checkUpdateProjectRequest', () => {
  it('wants a value for each masked field; false is one', () => {
    const updateMask = ['name', 'appName', 'dropUnmappedFields'] as const;
    const project = { name: 'app', appName: 'App', dropUnmappedFields: false };
    expect(checkUpdateProjectRequest({ updateMask, project })).toEqual([]);
    expect(checkUpdateProjectRequest({ updateMask: [], project: {} })).toEqual([]);
    expect(checkUpdateProjectRequest({ updateMask, project: { appName: 'App' } })).toEqual([
      { in: 'body', name: 'updateMask[0]', detail: 'has no value in project', value: 'name' },
      { in: 'body', name: 'updateMask[2]', detail: 'has no value in project', value: 'dropUnmappedFields' },
    ]);
  });

  it('refuses a name in the form of an id', () => {
    expect(checkUpdateProjectRequest({ updateMask: ['name'], project: { name: idLike } })).toMatchObject([
      { name: 'project.name', detail: expect.stringContaining('form of an id') },
    ]);
  });
});
