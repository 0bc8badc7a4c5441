"""Inserts small documents of a time series by pymongo's insert_many, in one process, until it is ended.

    load.py HOST:PORT BATCH
"""

import datetime
import random
import sys

import pymongo


def main():
    address, batch = sys.argv[1], int(sys.argv[2])
    collection = pymongo.MongoClient(f"mongodb://{address}/?w=1").perfload.pymongo
    begin = datetime.datetime(2012, 1, 1)
    dates = [begin + datetime.timedelta(seconds=random.randrange(366 * 86400)) for _ in range(batch)]
    values = [random.random() for _ in range(batch)]
    while True:
        # New documents each time, since insert_many puts the _id into those that it is given.
        documents = [{"created_on": date, "value": value} for date, value in zip(dates, values)]
        collection.insert_many(documents, ordered=False)


main()
