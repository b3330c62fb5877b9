import { provesRecordBook } from '../testing/record-suite.js';
import { memoryRecords } from './record-book.memory.js';

const book = memoryRecords();

provesRecordBook('the memory book', () => ({
  book,
  held: async (userId) =>
    book
      .list()
      .filter(({ key }) => key.userId === userId)
      .map(({ key, revision, data }) => ({ at: `${key.provider}/${key.metric}/${key.item}`, localDate: data.localDate, revision })),
}));
